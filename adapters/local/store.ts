import type { z } from 'zod';
import { type Call, Failure } from '../../src/ports/index.ts';
import type { Cipher } from '../../src/toolkit/database/cipher.ts';
import { type Database, DatabaseUnavailable, type SqlValue } from '../../src/toolkit/database/database.ts';

/** The kinds of records whose content is encrypted. */
type Kind = 'ticket' | 'relative' | 'change_request';

/** What a write leaves with its row, to be known again; null without an `Idempotency-Key`. */
export interface WriteKey {
  /** Of client and key. */
  readonly key: string | null;
  /** Of client, key, and what was asked for. */
  readonly content: string | null;
}

export type LocalStore = ReturnType<typeof createStore>;

/** Statements on the adapter's tables, whose failures are those of a port. */
export function createStore(database: Database, cipher: Cipher) {
  let notify = () => {};
  return { onFailure, read, write, probe, encrypt, decrypt, computeWriteKey, close: () => database.close() };

  /** Calls the function, and none before it any more, whenever the database cannot be used. */
  function onFailure(listener: () => void): void {
    notify = listener;
  }

  /** @throws Failure unavailable. */
  async function read(sql: string, values: readonly SqlValue[]): Promise<readonly object[]> {
    return run(sql, values, 'unavailable');
  }

  /** @throws Failure unavailable when nothing was written, or outcome_unknown. */
  async function write(sql: string, values: readonly SqlValue[]): Promise<readonly object[]> {
    return run(sql, values, 'outcome_unknown');
  }

  /**
   * Finds out whether the database takes writes.
   * @throws DatabaseUnavailable when it does not.
   */
  async function probe(): Promise<void> {
    // SQLite would not write a value that is there already.
    await database.query(
      `INSERT INTO puente_local_probe (id, value) VALUES (1, $1)
       ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
      [crypto.randomUUID()],
    );
  }

  function encrypt(content: unknown, kind: Kind, id: string): Buffer {
    return cipher.encrypt(JSON.stringify(content), `${kind}:${id}`);
  }

  /** @throws Failure bad_answer when it was encrypted with another key, for another row, or was changed. */
  function decrypt(stored: Uint8Array, kind: Kind, id: string): unknown {
    try {
      return JSON.parse(cipher.decrypt(stored, `${kind}:${id}`));
    } catch {
      throw new Failure('bad_answer', 'a stored record cannot be decrypted', { cause: { code: 'record_unreadable' } });
    }
  }

  /** @param kind tells writes of one kind from those of others, which may have the same `Idempotency-Key`. */
  function computeWriteKey({ client, idempotencyKey }: Call, kind: Kind, content: unknown): WriteKey {
    if (idempotencyKey === undefined) return { key: null, content: null };
    const digest = (...parts: readonly unknown[]) => cipher.computeDigest(JSON.stringify(parts));
    return {
      key: digest(kind, client, idempotencyKey),
      content: digest(kind, client, idempotencyKey, content),
    };
  }

  async function run(sql: string, values: readonly SqlValue[], lost: 'unavailable' | 'outcome_unknown') {
    try {
      return await database.query(sql, values);
    } catch (cause) {
      if (!(cause instanceof DatabaseUnavailable)) throw cause;
      notify();
      const kind = cause.isOutcomeUnknown ? lost : 'unavailable';
      throw new Failure(kind, 'the database cannot be reached, or refuses', { cause });
    }
  }
}

/**
 * A row as the schema has it.
 * @throws Failure bad_answer, `at` the column, when somebody wrote there what nobody can read.
 */
export function parseRow<T>(schema: z.ZodType<T>, row: object): T {
  const { data, error } = schema.safeParse(row);
  if (!error) return data;
  const at = String(error.issues[0]?.path[0] ?? 'content');
  throw new Failure('bad_answer', 'a stored record cannot be read', { at, cause: { code: 'record_unreadable' } });
}

/** The records of rows. One that cannot be read is left out, and told. */
export function listReadable<T>(
  rows: readonly object[],
  resourceType: 'ticket' | 'relative',
  read: (row: object) => T,
  call: Call,
): readonly T[] {
  const records: T[] = [];
  for (const row of rows) {
    try {
      records.push(read(row));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const omitted = { resourceType, element: error.at ?? 'content' };
      call.omit(omitted);
      call.identifyOmitted?.(omitted, String(Reflect.get(row, 'id')));
    }
  }
  return records;
}
