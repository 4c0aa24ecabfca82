import { hash } from 'node:crypto';
import type { ChainLink, RecordGroup } from '../state/audit.ts';
import { type AuditRecord, formatRecord, parseRecord } from './record.ts';

/** A record, and where it is. */
export interface PlacedRecord {
  readonly chain: string;
  readonly seq: number;
  readonly record: AuditRecord;
}

/** The hash that ties a group to all before it: SHA-256 (hexadecimal) of the hash before it and of its text. */
export const computeHash = (before: string, text: string): string => hash('sha256', `${before}\n${text}`);

/** At least one record, as the group behind the head. */
export function createGroup(head: ChainLink, records: readonly AuditRecord[]): RecordGroup {
  const text = records.map(formatRecord).join('\n');
  const times = records.map(({ at }) => Date.parse(at));
  return {
    seq: head.seq + records.length,
    hash: computeHash(head.hash, text),
    firstAt: Math.min(...times),
    lastAt: Math.max(...times),
    patients: listPatients(records),
    text,
  };
}

/** The ids of the patients whom records are about, each once. */
export const listPatients = (records: readonly AuditRecord[]): readonly string[] => [
  ...new Set(records.flatMap(({ patient }) => (patient === undefined ? [] : [patient]))),
];

/** The records of a group. */
export function parseGroup({ chain, seq, text }: { chain: string; seq: number; text: string }): PlacedRecord[] {
  const lines = text.split('\n');
  return lines.map((line, i) => ({ chain, seq: seq - lines.length + 1 + i, record: parseRecord(line) }));
}
