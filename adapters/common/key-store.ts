import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Cipher } from '../../src/database/cipher.ts';
import {
  type Database,
  DatabaseUnavailable,
  databaseSettings,
  requireDatabaseSettings,
  type SqlValue,
} from '../../src/database/database.ts';
import { createEncryptionTable, type EncryptionKeys, openTables, type Schema } from '../../src/database/migrations.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import type { Owner } from '../../src/database/owner.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { type Call, Failure, type FailureKind, throwKeyReused } from '../../src/ports/index.ts';
import { ignoreFailure, throwIfAborted } from '../../src/toolkit/failures.ts';
import { SettingsProblem } from '../../src/toolkit/problems.ts';
import { settleWrite } from './outcome.ts';

/** The storage of write keys: `memory`, which is lost with the process, or a database. */
export const keyStoreSettings = z
  .strictObject({ ...databaseSettings, kind: z.enum(['memory', 'sqlite', 'postgres']).default('memory') })
  .superRefine(requireDatabaseSettings)
  .prefault({});

/** A write that must happen once for each `Idempotency-Key`, in a system without such keys. */
export interface KeyedWrite {
  /**
   * The complete request as JSON values, with the name of the write. It must be the same for each request with the same
   * key.
   */
  readonly content: unknown;
  /** Sends the write, and returns the id of the new record. */
  write(): Promise<string>;
  /**
   * Finds the record of an earlier attempt whose answer was lost. Returns its id. Undefined if that attempt created
   * nothing.
   */
  find(): Promise<string | undefined>;
}

/** One day more than a gateway keeps a key at most. */
const RETENTION_MS = 31 * 86_400_000;
const PRUNE_INTERVAL_MS = 86_400_000;

/** Failures of a write that leave open whether it took effect. */
const undecided: ReadonlySet<FailureKind> = new Set(['outcome_unknown', 'bad_answer']);

/**
 * `key` is a digest of client and key, `content` one of the request. `made` is the id of the new record once it is
 * known.
 */
const schema: Schema = {
  prefix: 'puente_keys',
  migrations: [
    {
      version: 1,
      statements: ({ bytes }) => [
        createEncryptionTable('puente_keys', { bytes }),
        'CREATE TABLE puente_keys (key TEXT PRIMARY KEY, content TEXT NOT NULL, made TEXT, claimed_at BIGINT NOT NULL)',
      ],
    },
  ],
};
const rowSchema = z.object({ content: z.string(), made: z.string().nullable() });

/** A table of keys. It has the content of each key's request, and the id of the new record once it is known. */
export interface KeyTable {
  /** Returns the digest that replaces a text in the table. */
  computeDigest(text: string): string;
  /** Returns true if nobody had claimed the key. */
  claim(key: string, content: string, call: Call): Promise<boolean>;
  find(key: string, call: Call): Promise<{ readonly content: string; readonly made: string | null } | undefined>;
  note(key: string, made: string, call: Call): Promise<void>;
  forget(key: string, call: Call): Promise<void>;
  /** Deletes claims from before this time, in milliseconds since 1970. */
  prune(before: number, call: Call): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the store of an adapter. The adapter closes it in its own `close`.
 * @param setting the name of the setting, for the problems.
 * @param institution that of `offer`. The store belongs to the first institution that opens it. Without an institution,
 * ownership is not checked.
 * @throws SettingsProblem when the database cannot be used, or belongs to another institution.
 */
export async function openKeyStore(
  settings: z.output<typeof keyStoreSettings>,
  setting: string,
  institution?: Owner,
): Promise<KeyStore> {
  const open = async (database: Database, keys: EncryptionKeys) =>
    new KeyStore(createDatabaseKeys(database, await openTables(database, schema, keys, institution)));
  if (settings.kind === 'memory') return open(await openSqlite(':memory:'), randomBytes(32));
  try {
    return await openDatabase({ ...settings, kind: settings.kind }, open, 'the database of keys');
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    throw new SettingsProblem(`${setting}.${error.setting}`, error.problems, error.awaits);
  }
}

/**
 * The writes of all clients by their `Idempotency-Key`s, with the ids of the new records. Keys expire after 31 days.
 */
export class KeyStore {
  readonly #table: KeyTable;
  /** The last running attempt of this process for each key. */
  readonly #attempts = new Map<string, Promise<string>>();
  #pruneAt = 0;

  constructor(table: KeyTable) {
    this.#table = table;
  }

  /**
   * Writes once for the key of the call, and returns the id of the new record, also for a repeated call. Without a key
   * it only writes. If the outcome of an earlier attempt is unknown, it first calls `find`. Calls of this process with
   * the same key wait for each other. The gateway's own state prevents parallel calls of several gateways.
   * @throws Failure invalid `idempotency_key_reused` when the key was used with another content, unavailable when the
   * store cannot be reached; the errors of `write` and `find`.
   */
  async once(call: Call, keyed: KeyedWrite): Promise<string> {
    const { client, idempotencyKey } = call;
    if (idempotencyKey === undefined) return keyed.write();
    const key = this.#table.computeDigest(JSON.stringify([client, idempotencyKey]));
    const content = this.#table.computeDigest(JSON.stringify([key, computeDigest(keyed.content)]));
    const before = this.#attempts.get(key)?.catch(() => undefined);
    const attempt = Promise.resolve(before).then(() => {
      throwIfAborted(call);
      return this.#attempt(key, content, keyed, call);
    });
    this.#attempts.set(key, attempt);
    try {
      return await attempt;
    } finally {
      if (this.#attempts.get(key) === attempt) this.#attempts.delete(key);
    }
  }

  close(): Promise<void> {
    return this.#table.close();
  }

  async #attempt(key: string, content: string, { write, find }: KeyedWrite, call: Call): Promise<string> {
    const now = Date.parse(call.now);
    if (now >= this.#pruneAt) {
      this.#pruneAt = now + PRUNE_INTERVAL_MS;
      await this.#table.prune(now - RETENTION_MS, call).catch(ignoreFailure);
    }
    const isFirst = await this.#table.claim(key, content, call);
    const earlier = isFirst ? undefined : await this.#table.find(key, call);
    // The table refused the row, or another process has just released the key: without a claim nothing is written.
    if (!isFirst && !earlier) throw new Failure('unavailable', 'the key of the write cannot be kept');
    if (earlier && earlier.content !== content) throwKeyReused();
    if (earlier?.made) return earlier.made;
    const made = (isFirst ? undefined : await find()) ?? (await this.#write(key, { write, find }, isFirst, call));
    // If this fails, the next call with the key finds the record.
    await this.#table.note(key, made, call).catch(ignoreFailure);
    return made;
  }

  /** A failed later attempt is no evidence about the first one, which may take effect late. */
  async #write(
    key: string,
    { write, find }: Omit<KeyedWrite, 'content'>,
    isFirst: boolean,
    call: Call,
  ): Promise<string> {
    return settleWrite(
      () =>
        write().catch(async (error: unknown) => {
          const isDecided = error instanceof Failure && !undecided.has(error.kind);
          if (isFirst && isDecided) await this.#table.forget(key, call).catch(ignoreFailure);
          throw error;
        }),
      find,
      {
        mayBeDone: (error) => !isFirst && error instanceof Failure && error.kind === 'conflict',
        // Without a successful look, the conflict may be with the record of the first attempt.
        whenUnseen: (_conflict, lookError) => lookError,
      },
    );
  }
}

/** A table in Puente's own database. */
function createDatabaseKeys(database: Database, cipher: Cipher): KeyTable {
  const ask = async (sql: string, values: readonly SqlValue[]): Promise<readonly object[]> => {
    try {
      return await database.query(sql, values);
    } catch (cause) {
      if (!(cause instanceof DatabaseUnavailable)) throw cause;
      throw new Failure('unavailable', 'the keys of writes cannot be looked up or kept', { cause });
    }
  };
  const change = async (sql: string, ...values: readonly SqlValue[]) =>
    void (await ask(`${sql} RETURNING key`, values));
  const claiming = `INSERT INTO puente_keys (key, content, claimed_at) VALUES ($1, $2, $3)
    ON CONFLICT (key) DO NOTHING RETURNING key`;
  return {
    computeDigest: (text) => cipher.computeDigest(text),
    claim: async (key, content) => (await ask(claiming, [key, content, database.now()])).length > 0,
    find: async (key) => {
      const [row] = await ask('SELECT content, made FROM puente_keys WHERE key = $1', [key]);
      return row && rowSchema.parse(row);
    },
    note: (key, made) => change('UPDATE puente_keys SET made = $2 WHERE key = $1', key, made),
    forget: (key) => change('DELETE FROM puente_keys WHERE key = $1', key),
    prune: (before) => change('DELETE FROM puente_keys WHERE claimed_at < $1', before),
    close: () => database.close(),
  };
}

/** The SHA-256 of the data as JSON, in hexadecimal. */
export const computeDigest = (content: unknown): string => hash('sha256', JSON.stringify(content));
