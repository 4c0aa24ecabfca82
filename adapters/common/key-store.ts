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

/** Where the keys of writes are kept: in `memory`, which forgets them with the process, or in a database. */
export const keyStoreSettings = z
  .strictObject({ ...databaseSettings, kind: z.enum(['memory', 'sqlite', 'postgres']).default('memory') })
  .superRefine(requireDatabaseSettings)
  .prefault({});

/** A write that must happen once under its `Idempotency-Key`, in a system that knows no such keys. */
export interface KeyedWrite {
  /** All that is asked for, as JSON values, with the name of the write: under one key it has to be the same. */
  readonly content: unknown;
  /** Sends the write, and returns the id of what it made. */
  write(): Promise<string>;
  /** The id of what an earlier attempt made whose answer was lost, as the system has it; undefined when it made nothing. */
  find(): Promise<string | undefined>;
}

/** One day more than a gateway remembers a key at most. */
const RETENTION_MS = 31 * 86_400_000;
const PRUNE_INTERVAL_MS = 86_400_000;

/** Failures of a write that do not say whether it took effect. */
const undecided: ReadonlySet<FailureKind> = new Set(['outcome_unknown', 'bad_answer']);

/** `key` and `content` are digests of client and key, and of what was asked for; `made` is an id once it is known. */
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

/** A table of keys: what was asked for under each, and what was made, once it is known. */
export interface KeyTable {
  /** What stands for a text in it. */
  computeDigest(text: string): string;
  /** True if nobody claimed the key before. */
  claim(key: string, content: string, call: Call): Promise<boolean>;
  find(key: string, call: Call): Promise<{ readonly content: string; readonly made: string | null } | undefined>;
  note(key: string, made: string, call: Call): Promise<void>;
  forget(key: string, call: Call): Promise<void>;
  /** Forgets what was claimed before this time, in milliseconds since 1970. */
  prune(before: number, call: Call): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the store of an adapter, which closes it in its own `close`.
 * @param setting the name of the setting that has these, for the problems.
 * @param institution that of `offer`: the store belongs to the first one that opens it. Without it nobody asks whose it is.
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

/** The writes of all clients under their `Idempotency-Key`s, and what they made. Keys are forgotten after 31 days. */
export class KeyStore {
  readonly #table: KeyTable;
  /** The last attempt under each key that is being worked on in this process. */
  readonly #attempts = new Map<string, Promise<string>>();
  #pruneAt = 0;

  constructor(table: KeyTable) {
    this.#table = table;
  }

  /**
   * Writes once under the key of the call, and returns the id of what was made, now or then; without a key it just writes.
   * Where an earlier attempt left nobody knowing, it looks for what that made before it writes again. Calls with one key
   * wait for each other; gateways on one database do not, as the gateway's own state sees to that.
   * @throws Failure invalid `idempotency_key_reused` when the key was used for another content, unavailable when the
   *   store cannot be reached, else what `write` and `find` throw.
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
    if (earlier && earlier.content !== content) throwKeyReused();
    if (earlier?.made) return earlier.made;
    const made = (isFirst ? undefined : await find()) ?? (await this.#write(key, { write, find }, isFirst, call));
    // What cannot be noted now is found when the key comes again.
    await this.#table.note(key, made, call).catch(ignoreFailure);
    return made;
  }

  /** That a later attempt changed nothing does not say what the first one did, which may have taken effect only now. */
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
        // Unseen, the conflict may be with what the first attempt made.
        whenUnseen: (_conflict, lookError) => lookError,
      },
    );
  }
}

/** A table of our own. */
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

/** The SHA-256 of the JSON text of data, in hexadecimal. */
export const computeDigest = (content: unknown): string => hash('sha256', JSON.stringify(content));
