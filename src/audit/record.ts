import { hash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ChainLink, RecordGroup, StoredGroup } from '../state/state.ts';

/**
 * One event of the audit trail: the caller, the action, the patient, the time and the outcome. It has ids, but no
 * person's name.
 */
export const auditRecord = z.object({
  at: z.iso.datetime().describe('The time when the request arrived, in UTC.'),
  phase: z
    .enum(['begun', 'ended'])
    .describe('`begun` for a write that is about to be sent, `ended` for everything with a known outcome.'),
  requestId: z.string().describe('The `X-Request-Id` of the response.'),
  operation: z
    .string()
    .describe('The operationId, the route of another request, such as `GET /capabilities`, or `*` for several.'),
  interaction: z
    .enum(['create', 'read', 'update', 'delete', 'search'])
    .describe('`create`, `read`, `update`, `delete` or `search`.'),
  client: z.string().optional().describe('The application. Absent if its token was rejected.'),
  subject: z
    .object({ issuer: z.string(), id: z.string() })
    .optional()
    .describe("The token's subject as the issuer identifies it. Absent if the subject is the application."),
  address: z.string().describe('The network address of the caller.'),
  patient: z
    .string()
    .optional()
    .describe(
      'The id of a patient whom the request names, or whose record is returned or changed. Each patient has a separate record.',
    ),
  ids: z.record(z.string(), z.string()).optional().describe('The ids in the path.'),
  created: z.string().optional().describe('The id of the record that the write created.'),
  query: z.string().optional().describe('The criteria of a search, as a query string.'),
  status: z.number().optional().describe('The status of the response.'),
  code: z.string().optional().describe('The code of its [problem](docs/reference/problems.md).'),
  reason: z
    .string()
    .optional()
    .describe('The [reason](docs/how-to/identity.md#when-a-token-is-refused) for rejecting the token.'),
  replayed: z
    .literal(true)
    .optional()
    .describe(
      '`true` if the response repeats an earlier response for the same `Idempotency-Key`: nothing was executed.',
    ),
  count: z
    .number()
    .optional()
    .describe(
      'The number of requests that the record represents, or of records that are missing before it. Absent for one request, or for an unknown number of records.',
    ),
});

export type AuditRecord = z.output<typeof auditRecord>;

const formatRecord = (record: AuditRecord): string => JSON.stringify(record);

/** @throws Error if the text is not a record of this version. */
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

/** The ids of the records' patients, without duplicates. */
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
