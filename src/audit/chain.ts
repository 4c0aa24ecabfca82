import { hash } from 'node:crypto';
import type { ChainedRecord, ChainLink } from '../state/audit.ts';
import { type AuditRecord, formatRecord } from './record.ts';

/** The hash that ties a record to all before it: SHA-256 (hexadecimal) of the hash before it and of the record's text. */
export const computeHash = (before: string, text: string): string => hash('sha256', `${before}\n${text}`);

/** The records in their places behind the head. */
export function chainRecords(head: ChainLink, records: readonly AuditRecord[]): ChainedRecord[] {
  let { seq, hash } = head;
  return records.map((record) => {
    const text = formatRecord(record);
    seq += 1;
    hash = computeHash(hash, text);
    return { seq, hash, at: Date.parse(record.at), patient: record.patient, text };
  });
}
