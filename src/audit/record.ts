import { hash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ChainLink, RecordGroup, StoredGroup } from '../state/state.ts';

/**
 * One event of the audit trail: the caller, the action, the patient, the time and the outcome. It has ids, but no
 * person's name.
 */
export const auditRecord = z.object({
  /** The time when the request arrived: ISO 8601, UTC. */
  at: z.iso.datetime(),
  /**
   * A write is recorded before the gateway sends it to the institution's system, and again when its outcome is known.
   */
  phase: z.enum(['begun', 'ended']),
  requestId: z.string(),
  /** The operationId, or the route of another request, e.g. `GET /capabilities`, or `*` for several. */
  operation: z.string(),
  interaction: z.enum(['create', 'read', 'update', 'delete', 'search']),
  /** The application. Absent if its token was refused. */
  client: z.string().optional(),
  /** The person of the token, by the issuer's identifier. Absent if the token is the application's own. */
  subject: z.object({ issuer: z.string(), id: z.string() }).optional(),
  /** The network address of the caller. */
  address: z.string(),
  patient: z.string().optional(),
  /** The ids in the path. */
  ids: z.record(z.string(), z.string()).optional(),
  /** The id of the resource that the write created. */
  created: z.string().optional(),
  /** The criteria of a search, as a query string. */
  query: z.string().optional(),
  /** The status of the response, and the code of its problem. */
  status: z.number().optional(),
  code: z.string().optional(),
  /** The reason for refusing the token. */
  reason: z.string().optional(),
  /** True if the response repeats that of an earlier request with the same `Idempotency-Key`. */
  replayed: z.literal(true).optional(),
  /**
   * The number of requests that the record represents, or of records that are missing before it. Absent for one
   * request, or for an unknown number of records.
   */
  count: z.number().optional(),
});

export type AuditRecord = z.output<typeof auditRecord>;

const formatRecord = (record: AuditRecord): string => JSON.stringify(record);

/** @throws Error when the text is not a record of this version. */
const parseRecord = (text: string): AuditRecord => auditRecord.parse(JSON.parse(text));

/** Creates a record of the gateway about the trail itself, e.g. `audit gap`. */
export const createOwnRecord = (operation: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  at: new Date().toISOString(),
  phase: 'ended',
  requestId: randomUUID(),
  operation,
  interaction: 'create',
  client: 'puente',
  address: '127.0.0.1',
  status: 200,
  ...more,
});

/** A record with its place. */
export interface PlacedRecord {
  readonly chain: string;
  readonly seq: number;
  readonly record: AuditRecord;
}

/** The hash that links a group to its predecessors: SHA-256 (hexadecimal) of the previous hash and of its text. */
export const computeHash = (before: string, text: string): string => hash('sha256', `${before}\n${text}`);

/** Creates the group after the head from at least one record. */
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

/** The ids of the records' patients, each once. */
export const listPatients = (records: readonly AuditRecord[]): readonly string[] => [
  ...new Set(records.flatMap(({ patient }) => (patient === undefined ? [] : [patient]))),
];

/** The records of a group. */
export function parseGroup({ chain, seq, text }: { chain: string; seq: number; text: string }): PlacedRecord[] {
  const lines = text.split('\n');
  return lines.map((line, i) => ({ chain, seq: seq - lines.length + 1 + i, record: parseRecord(line) }));
}

/** The records of a group. Undefined if the group was changed, or if this version cannot read it. */
export function readGroup({ text, ...place }: Pick<StoredGroup, 'chain' | 'seq' | 'text'>): PlacedRecord[] | undefined {
  try {
    return text === undefined ? undefined : parseGroup({ ...place, text });
  } catch {
    return undefined;
  }
}

/** The end of a chain at some time, with its signature. A copy kept elsewhere reveals a later removal of records. */
export interface SignedHead extends ChainLink {
  readonly chain: string;
  readonly signature: string;
  /** The time of the last record, in milliseconds since 1970. Undefined in the output of earlier versions. */
  readonly at?: number | undefined;
}

/**
 * Formats a head as `verify` prints it and the log has it: chain, number of the last record, hash, signature and time.
 */
export const formatHead = ({ chain, seq, hash, signature, at }: SignedHead): string =>
  [chain, seq, hash, signature, ...(at === undefined ? [] : [new Date(at).toISOString()])].join(' ');

const headPattern =
  /([\w.:-]{1,300}) (\d{1,15}) ([0-9a-f]{64}) ([0-9a-f]{64})\b(?: (\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z))?/g;

/** Finds all heads in a text, such as a line of the log. */
export const findHeads = (text: string): SignedHead[] =>
  [...text.matchAll(headPattern)].map(([, chain = '', seq, hash = '', signature = '', at]) => ({
    chain,
    seq: Number(seq),
    hash,
    signature,
    ...(at !== undefined && { at: Date.parse(at) }),
  }));
