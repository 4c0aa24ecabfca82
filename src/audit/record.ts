import { hash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ChainLink, RecordGroup, StoredGroup } from '../state/state.ts';

/** Who did what, about which patient, when, and what came of it. It has ids, and no name of a person. */
export const auditRecord = z.object({
  /** When the request arrived; ISO 8601, UTC. */
  at: z.iso.datetime(),
  /** A write is recorded before it is sent to the institution's system, and again when its outcome is known. */
  phase: z.enum(['begun', 'ended']),
  requestId: z.string(),
  /** The operationId, the route of what is no operation, e.g. `GET /capabilities`, or `*` for several. */
  operation: z.string(),
  interaction: z.enum(['create', 'read', 'update', 'delete', 'search']),
  /** The application; absent when its token was refused. */
  client: z.string().optional(),
  /** Whom the token is about, where that is not the application itself: a person, by the issuer's identifier. */
  subject: z.object({ issuer: z.string(), id: z.string() }).optional(),
  /** The network address of the caller. */
  address: z.string(),
  patient: z.string().optional(),
  /** The ids in the path. */
  ids: z.record(z.string(), z.string()).optional(),
  /** The id of what a write has made. */
  created: z.string().optional(),
  /** What a search asked for, as a query string. */
  query: z.string().optional(),
  /** The status of the response, and the code of its problem. */
  status: z.number().optional(),
  code: z.string().optional(),
  /** Why a token was refused. */
  reason: z.string().optional(),
  /** Set when the response is that of an earlier request with the same `Idempotency-Key`, and nothing was done. */
  replayed: z.literal(true).optional(),
  /** How many requests it stands for, or how many records are missing in front of it; one, or an unknown number, without it. */
  count: z.number().optional(),
});

export type AuditRecord = z.output<typeof auditRecord>;

const formatRecord = (record: AuditRecord): string => JSON.stringify(record);

/** @throws Error when the text is no record of this version. */
const parseRecord = (text: string): AuditRecord => auditRecord.parse(JSON.parse(text));

/** What the gateway says of the trail itself, e.g. `audit gap`. */
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

/** The records of a group; undefined when it was changed, or has what this version cannot read. */
export function readGroup({ text, ...place }: Pick<StoredGroup, 'chain' | 'seq' | 'text'>): PlacedRecord[] | undefined {
  try {
    return text === undefined ? undefined : parseGroup({ ...place, text });
  } catch {
    return undefined;
  }
}

/** The end of a chain at some time, with its signature: kept elsewhere, it shows when records have gone since. */
export interface SignedHead extends ChainLink {
  readonly chain: string;
  readonly signature: string;
  /** When its last record was made, in milliseconds since 1970; undefined in what a version before this one printed. */
  readonly at?: number | undefined;
}

/** As `verify` prints it and the log has it: chain, number of the last record, hash, signature and time. */
export const formatHead = ({ chain, seq, hash, signature, at }: SignedHead): string =>
  [chain, seq, hash, signature, ...(at === undefined ? [] : [new Date(at).toISOString()])].join(' ');

const headPattern =
  /([\w.:-]{1,300}) (\d{1,15}) ([0-9a-f]{64}) ([0-9a-f]{64})\b(?: (\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z))?/g;

/** All heads that stand in a text, such as a line of the log. */
export const findHeads = (text: string): SignedHead[] =>
  [...text.matchAll(headPattern)].map(([, chain = '', seq, hash = '', signature = '', at]) => ({
    chain,
    seq: Number(seq),
    hash,
    signature,
    ...(at !== undefined && { at: Date.parse(at) }),
  }));
