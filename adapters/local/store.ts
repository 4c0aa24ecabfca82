import { z } from 'zod';
import type { Cipher } from '../../src/database/cipher.ts';
import { type Database, DatabaseUnavailable, type SqlValue } from '../../src/database/database.ts';
import { createEncryptionTable, type Schema } from '../../src/database/migrations.ts';
import { type Call, Failure, type FailureKind, throwKeyReused } from '../../src/ports/index.ts';
import { throwIfAborted } from '../../src/toolkit/failures.ts';

/** Milliseconds since 1970, until the end of the year 9999. Who works on tickets may set them by hand. */
export const time = z.coerce.number().int().min(0).max(253_402_300_799_999);

type LocalRecordKind = 'ticket' | 'ticket_files' | 'relative' | 'change_request';

/** What a write leaves with its row, to be known again; null without an `Idempotency-Key`. */
export interface RowKey {
  /** Of client and key. */
  readonly key: string | null;
  /** Of client, key, and what was asked for. */
  readonly content: string | null;
}

/** What a statement may take for a call that has no deadline. */
const LONGEST_MS = 60_000;

/** Statements on the adapter's tables, whose failures are those of a port. */
export class LocalStore {
  readonly #database: Database;
  readonly #cipher: Cipher;
  #notify = () => {};

  constructor(database: Database, cipher: Cipher) {
    this.#database = database;
    this.#cipher = cipher;
  }

  /** Calls the function, and none before it any more, whenever the database cannot be used. */
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
   * Finds out whether the database takes writes.
   * @throws DatabaseUnavailable when it does not.
   */
  async probe(): Promise<void> {
    // SQLite would not write a value that is there already.
    await this.#database.query(
      `INSERT INTO puente_local_probe (id, value) VALUES (1, $1)
       ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
      [crypto.randomUUID()],
    );
  }

  encrypt(content: unknown, kind: LocalRecordKind, id: string): Buffer {
    return this.#cipher.encrypt(JSON.stringify(content), `${kind}:${id}`);
  }

  /** @throws Failure bad_answer when it was encrypted with another key, for another row, or was changed. */
  decrypt(stored: Uint8Array, kind: LocalRecordKind, id: string): unknown {
    try {
      return JSON.parse(this.#cipher.decrypt(stored, `${kind}:${id}`));
    } catch {
      throw new Failure('bad_answer', 'a stored record cannot be decrypted', { cause: { code: 'record_unreadable' } });
    }
  }

  /** @param kind tells writes of one kind from those of others, which may have the same `Idempotency-Key`. */
  computeWriteKey({ client, idempotencyKey }: Call, kind: LocalRecordKind, content: unknown): RowKey {
    if (idempotencyKey === undefined) return { key: null, content: null };
    const digest = (...parts: readonly unknown[]) => this.#cipher.computeDigest(JSON.stringify(parts));
    return {
      key: digest(kind, client, idempotencyKey),
      content: digest(kind, client, idempotencyKey, content),
    };
  }

  /**
   * The row that a write with this key has left.
   * @throws Failure invalid `idempotency_key_reused` when it is another one.
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

  /** @param lost what it is when nobody knows whether the statement took effect. */
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

/** The codes of a statement for which the time did not suffice. */
const tooLate: ReadonlySet<string> = new Set(['statement_timeout', 'PG_57014']);

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
 * Ids and times can be read, so that an operator can find rows; what a patient wrote is encrypted. Times are milliseconds
 * since 1970. `write_key` is a digest of client and `Idempotency-Key`, `write_content` one of what was asked for. `files` has
 * the values of a ticket's files, so that whoever wants none of them reads none; those of version 1 stand in its content.
 * `announce_at` is when the webhook is told of a row, or tried again; NULL when there is nothing to tell.
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
