import { badAnswer } from '../../../src/http-client/failures.ts';
import { type Call, Failure } from '../../../src/ports/index.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { createPromisedFailure } from '../../common/failures.ts';
import { computeDigest, KeyStore } from '../../common/key-store.ts';
import { findWritten, settleWrite } from '../../common/outcome.ts';
import type { Sources } from '../sources/open-sources.ts';
import type { ChangeResult, Meaning } from '../sources/source.ts';

/** Where to store the `Idempotency-Key`s of writes. */
export type Keys = Pick<KeyStore, 'once'>;

interface Making {
  /** The complete request, with the name of the write. */
  readonly content: readonly unknown[];
  /** Checks and writes. Undefined if the system does not return the id of the new record. */
  write(): Promise<string | undefined>;
  /** Finds the id of the new record by its content. */
  find(): Promise<string | undefined>;
}

/**
 * Creates a record once for the key of the call. After a lost answer, it searches for the content before it fails.
 * @throws Failure as `KeyStore.once`, and outcome_unknown if the answer is lost and the search finds nothing.
 */
export async function makeOnce(keys: Keys, call: Call, { content, write, find }: Making) {
  const make = async () => {
    const id = await settleWrite(async () => (await write()) ?? (await findWritten(find)), find);
    if (id === undefined) throw createLostFailure();
    return id;
  };
  return { id: await keys.once(call, { content, write: make, find }) };
}

/** The failure if the system accepted a write, but does not have the record. */
export const createLostFailure = (): Failure =>
  new Failure('outcome_unknown', 'the system does not have the written record');

/**
 * The id of the new record, if the system returns it.
 * @param refusals the expected meanings that prevented the change, with their failures.
 * @throws Failure for every other meaning too, except for `done` without a refusal.
 */
export function getMadeId(result: ChangeResult, refusals: Partial<Record<Meaning, Failure>> = {}): string | undefined {
  if (!('meaning' in result)) return result.id;
  const { meaning } = result;
  if (refusals[meaning]) throw refusals[meaning];
  if (meaning === 'done') return undefined;
  throw toFailure(meaning);
}

function toFailure(meaning: Exclude<Meaning, 'done'>): Failure {
  switch (meaning) {
    case 'slot_taken':
    case 'slot_unknown':
    case 'not_cancelable':
      return createPromisedFailure(meaning);
    case 'invalid':
      return new Failure('invalid', 'the institution’s system does not accept a value');
    case 'busy':
      return new Failure('overloaded', 'the system is busy', { retryAfter: 1 });
    case 'refused':
    case 'session':
      return new Failure('unavailable', 'the system refuses the credentials of the gateway');
    default:
      return badAnswer(meaning);
  }
}

/**
 * Reads again: neither `done` nor a statement without rows proves that the record is gone.
 * @throws Failure outcome_unknown if it still exists, or if the system reports `done` and cannot be asked.
 */
export async function requireGone(result: ChangeResult, isThere: () => Promise<boolean>): Promise<void> {
  const isLeft = await ('meaning' in result ? findWritten(isThere) : isThere().catch(ignoreFailure));
  if (isLeft) throw createLostFailure();
}

/** The table of keys: the time of each claim in milliseconds since 1970, and the id of the new record. */
export const readKey = (table: string): string =>
  `SELECT content, made, claimed_at FROM ${table} WHERE digest = :digest`;

/**
 * The keys of writes in a table of the system with the columns `digest` (unique), `content`, `made` and `claimed_at`.
 */
export function createRememberedKeys(table: string, sources: Sources): KeyStore {
  const known = sources.question(readKey(table));
  const change = (sql: string) => {
    const { make } = sources.change({ steps: [{ sql, else: 'exists', changes: Number.MAX_SAFE_INTEGER }] });
    return (values: Readonly<Record<string, string | number>>, call: Call) =>
      make(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]])), [], call);
  };
  const claim = change(`INSERT INTO ${table} (digest, content, claimed_at) VALUES (:digest, :content, :now)`);
  const note = change(`UPDATE ${table} SET made = :made WHERE digest = :digest`);
  const forget = change(`DELETE FROM ${table} WHERE digest = :digest`);
  const prune = change(`DELETE FROM ${table} WHERE claimed_at < :before`);
  return new KeyStore({
    computeDigest,
    claim: async (digest, content, call) =>
      !('meaning' in (await claim({ digest, content, now: Date.parse(call.now) }, call))),
    find: async (digest, call) => {
      const [row] = await known.ask({ digest: [digest] }, call);
      return row && { content: String(row.content), made: row.made === null ? null : String(row.made) };
    },
    note: async (digest, made, call) => void (await note({ digest, made }, call)),
    forget: async (digest, call) => void (await forget({ digest }, call)),
    prune: async (before, call) => void (await prune({ before }, call)),
    close: async () => undefined,
  });
}
