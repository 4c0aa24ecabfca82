import { z } from 'zod';
import type { Cipher } from '../../src/database/cipher.ts';
import { type Database, DatabaseUnavailable, type SqlValue } from '../../src/database/database.ts';
import { createEncryptionTable, type Schema } from '../../src/database/migrations.ts';
import { type Call, Failure, type FailureKind, throwKeyReused } from '../../src/ports/index.ts';
import { throwIfAborted } from '../../src/toolkit/failures.ts';

/** Milliseconds since 1970, until the end of the year 9999. Staff may edit them by hand. */
export const time = z.coerce.number().int().min(0).max(253_402_300_799_999);

type LocalRecordKind = 'ticket' | 'ticket_files' | 'relative' | 'change_request';

/** The columns that identify a write's row. Null without an `Idempotency-Key`. */
export interface RowKey {
  /** A digest of client and key. */
  readonly key: string | null;
  /** A digest of client, key and content. */
  readonly content: string | null;
}

/** The time limit of a statement whose call has no deadline. */
const LONGEST_MS = 60_000;

/** Runs statements on the adapter's tables. Its failures are those of ports. */
export class LocalStore {
  readonly #database: Database;
  readonly #cipher: Cipher;
  #notify = () => {};

  constructor(database: Database, cipher: Cipher) {
    this.#database = database;
    this.#cipher = cipher;
  }

  /** Sets the listener for each failed access to the database. It replaces the previous listener. */
  onFailure(listener: () => void): void {
    this.#notify = listener;
  }

  now(): number {
    return this.#database.now();
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** @throws Failure unavailable, or timeout when the call has ended. */
  read(sql: string, values: readonly SqlValue[], call?: Call): Promise<readonly object[]> {
    return this.#run(sql, values, call);
  }

  /** @throws Failure unavailable or timeout when nothing was written, or outcome_unknown. */
  write(sql: string, values: readonly SqlValue[], call?: Call): Promise<readonly object[]> {
    return this.#run(sql, values, call, 'outcome_unknown');
  }

  /**
   * Checks that the database accepts writes.
   * @throws DatabaseUnavailable when it does not.
   */
  async probe(): Promise<void> {
    // SQLite would not write an unchanged value.
    await this.#database.query(
      `INSERT INTO puente_local_probe (id, value) VALUES (1, $1)
       ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
      [crypto.randomUUID()],
    );
  }

  encrypt(content: unknown, kind: LocalRecordKind, id: string): Buffer {
    return this.#cipher.encrypt(JSON.stringify(content), `${kind}:${id}`);
  }

  /** @throws Failure bad_answer when the content was encrypted with another key or for another row, or was changed. */
  decrypt(stored: Uint8Array, kind: LocalRecordKind, id: string): unknown {
    try {
      return JSON.parse(this.#cipher.decrypt(stored, `${kind}:${id}`));
    } catch {
      throw new Failure('bad_answer', 'a stored record cannot be decrypted', { cause: { code: 'record_unreadable' } });
    }
  }

  /** @param kind separates kinds of writes, because they may have the same `Idempotency-Key`. */
  computeWriteKey({ client, idempotencyKey }: Call, kind: LocalRecordKind, content: unknown): RowKey {
    if (idempotencyKey === undefined) return { key: null, content: null };
    const digest = (...parts: readonly unknown[]) => this.#cipher.computeDigest(JSON.stringify(parts));
    return {
      key: digest(kind, client, idempotencyKey),
      content: digest(kind, client, idempotencyKey, content),
    };
  }

  /**
   * The row of an earlier write with this key.
   * @throws Failure invalid `idempotency_key_reused` when its content differs.
   */
  async findByKey(
    table: 'puente_local_tickets' | 'puente_local_change_requests',
    columns: string,
    { key, content }: RowKey,
    call: Call,
  ): Promise<object | undefined> {
    if (key === null) return undefined;
    const [row] = await this.read(`SELECT ${columns}, write_content FROM ${table} WHERE write_key = $1`, [key], call);
    if (row && Reflect.get(row, 'write_content') !== content) throwKeyReused();
    return row;
  }

  /** @param lost the kind of failure if it is unknown whether the statement took effect. */
  async #run(sql: string, values: readonly SqlValue[], call?: Call, lost?: FailureKind): Promise<readonly object[]> {
    if (call) throwIfAborted(call);
    try {
      return await this.#database.query(sql, values, call && (() => call.timeLeft?.() ?? LONGEST_MS));
    } catch (cause) {
      if (!(cause instanceof DatabaseUnavailable)) throw cause;
      this.#notify();
      const isLate = call?.signal.aborted || tooLate.has(cause.code);
      const kind = (cause.isOutcomeUnknown && lost) || (isLate ? 'timeout' : 'unavailable');
      throw new Failure(kind, 'the database cannot be reached, refuses, or takes too long', { cause });
    }
  }
}

/** The codes of a statement that reached its time limit. */
const tooLate: ReadonlySet<string> = new Set(['statement_timeout', 'PG_57014']);

/**
 * Parses a row by the schema.
 * @throws Failure bad_answer, `at` the column, when a value from outside is invalid.
 */
export function parseRow<T>(schema: z.ZodType<T>, row: object): T {
  const { data, error } = schema.safeParse(row);
  if (!error) return data;
  const at = String(error.issues[0]?.path[0] ?? 'content');
  throw new Failure('bad_answer', 'a stored record cannot be read', { at, cause: { code: 'record_unreadable' } });
}

/** The records of the rows. Unreadable ones are omitted and reported. */
export async function listReadable<T>(
  rows: readonly object[],
  resourceType: 'ticket' | 'relative',
  read: (row: object) => T | Promise<T>,
  call: Call,
): Promise<readonly T[]> {
  const records: T[] = [];
  for (const row of rows) {
    try {
      records.push(await read(row));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'bad_answer') throw error;
      call.omit({ resourceType, element: error.at ?? 'content' }, String(Reflect.get(row, 'id')));
    }
  }
  return records;
}

/**
 * Ids and times are readable, so an operator can find rows. The patient's texts are encrypted. Times are milliseconds
 * since 1970. `write_key` is a digest of client and `Idempotency-Key`, `write_content` one of the content. `files` has
 * the values of a ticket's files, so lists without files need not read them; version 1 stored them in the content.
 * `announce_at` is the time of the next delivery to the webhook, or NULL if there is nothing to announce.
 */
export const localSchema: Schema = {
  prefix: 'puente_local',
  migrations: [
    {
      version: 1,
      statements: ({ bytes, counter }) => [
        createEncryptionTable('puente_local', { bytes }),
        'CREATE TABLE puente_local_probe (id INTEGER PRIMARY KEY, value TEXT NOT NULL)',
        `CREATE TABLE puente_local_tickets (
           position ${counter},
           id TEXT NOT NULL UNIQUE,
           patient_id TEXT NOT NULL,
           ticket_type_id TEXT NOT NULL,
           status TEXT NOT NULL,
           created_at BIGINT NOT NULL,
           updated_at BIGINT NOT NULL,
           write_key TEXT UNIQUE,
           write_content TEXT,
           content ${bytes} NOT NULL
         )`,
        'CREATE INDEX puente_local_tickets_patient ON puente_local_tickets (patient_id, created_at)',
        `CREATE TABLE puente_local_relatives (
           position ${counter},
           id TEXT NOT NULL UNIQUE,
           patient_id TEXT NOT NULL,
           related_patient_id TEXT NOT NULL,
           active INTEGER NOT NULL,
           write_content TEXT,
           content ${bytes} NOT NULL,
           UNIQUE (patient_id, related_patient_id)
         )`,
        `CREATE TABLE puente_local_change_requests (
           position ${counter},
           id TEXT NOT NULL UNIQUE,
           patient_id TEXT NOT NULL,
           reason_id TEXT NOT NULL,
           practitioner_id TEXT,
           status TEXT NOT NULL,
           created_at BIGINT NOT NULL,
           write_key TEXT UNIQUE,
           write_content TEXT,
           content ${bytes} NOT NULL
         )`,
        'CREATE INDEX puente_local_change_requests_patient ON puente_local_change_requests (patient_id, position)',
        `CREATE UNIQUE INDEX puente_local_change_requests_open ON puente_local_change_requests (patient_id)
         WHERE status = 'in_progress'`,
      ],
    },
    {
      version: 2,
      statements: ({ bytes }) => [`ALTER TABLE puente_local_tickets ADD COLUMN files ${bytes}`],
    },
    {
      version: 3,
      statements: () => ['ALTER TABLE puente_local_change_requests ADD COLUMN updated_at BIGINT'],
    },
    {
      version: 4,
      statements: () =>
        ['puente_local_tickets', 'puente_local_change_requests'].flatMap((table) => [
          `ALTER TABLE ${table} ADD COLUMN announce_at BIGINT`,
          `CREATE INDEX ${table}_announce_at ON ${table} (announce_at) WHERE announce_at IS NOT NULL`,
        ]),
    },
  ],
};
