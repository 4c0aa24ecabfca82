import { Cipher } from './cipher.ts';
import type { Database, RunQuery } from './database.ts';
import { claimContent, type Owner } from './owner.ts';

/**
 * One change of the tables. It runs while gateways of the previous version serve. Add tables, columns that may be null,
 * and indexes, and remove only what no supported version uses.
 */
export interface Migration {
  readonly version: number;
  readonly statements: (types: Pick<Database, 'bytes' | 'counter' | 'system'>) => readonly string[];
}

/** The tables of one user of a database. The database may contain those of other users. */
export interface Schema {
  /** The prefix of its tables' names. */
  readonly prefix: 'puente' | 'puente_local' | 'puente_keys';
  /** Every change, the oldest first. The first one also creates the table `<prefix>_encryption`. */
  readonly migrations: readonly Migration[];
}

/** The content was encrypted with another key. */
export class WrongEncryptionKey extends Error {
  override readonly name = 'WrongEncryptionKey';
}

/** One key, or several: the first encrypts, and all decrypt. */
export type EncryptionKeys = Buffer | readonly Buffer[];

/**
 * Migrates the tables to this version, or keeps those of a later version. Of several gateways, a single one does it. If it
 * fails, it changes nothing and closes the database.
 * @param owner the institution that owns the content. Without it, ownership is not checked.
 * @returns the cipher of the content.
 * @throws WrongEncryptionKey if the first gateway used another key, WrongOwner if the content belongs to another
 * institution, or DatabaseUnavailable.
 */
export async function openTables(
  database: Database,
  schema: Schema,
  keys: EncryptionKeys,
  owner?: Owner,
): Promise<Cipher> {
  try {
    const cipher = new Cipher(...[keys].flat());
    await database.migrate(async (query) => {
      await migrate(query, schema, database);
      const table = `${schema.prefix}_encryption`;
      if (!(await isKeyOf(query, table, cipher))) throw new WrongEncryptionKey();
      if (owner) await claimContent(query, table, owner);
    });
    return cipher;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function migrate(query: RunQuery, { prefix, migrations }: Schema, database: Database): Promise<void> {
  await query(`CREATE TABLE IF NOT EXISTS ${prefix}_migrations (version INTEGER PRIMARY KEY)`);
  const rows = await query(`SELECT version FROM ${prefix}_migrations`);
  const done = new Set(rows.map((row) => row.version));
  for (const { version, statements } of migrations.filter((each) => !done.has(each.version))) {
    for (const statement of statements(database)) await query(statement);
    await query(`INSERT INTO ${prefix}_migrations (version) VALUES ($1)`, [version]);
  }
}

/** The table with a sample that identifies the encryption key, and with the owning institution. */
export const createEncryptionTable = (prefix: Schema['prefix'], { bytes }: Pick<Database, 'bytes'>): string =>
  `CREATE TABLE ${prefix}_encryption (name TEXT PRIMARY KEY, value ${bytes} NOT NULL)`;

const SAMPLE = 'puente';

/** Verifies that the cipher has the first key. */
export async function renewSample(query: RunQuery, { prefix }: Schema, cipher: Cipher): Promise<void> {
  await query(`UPDATE ${prefix}_encryption SET value = $2 WHERE name = $1`, [SAMPLE, cipher.encrypt(SAMPLE, SAMPLE)]);
}

async function isKeyOf(query: RunQuery, table: string, cipher: Cipher): Promise<boolean> {
  await query(`INSERT INTO ${table} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, [
    SAMPLE,
    cipher.encrypt(SAMPLE, SAMPLE),
  ]);
  const [row] = await query(`SELECT value FROM ${table} WHERE name = $1`, [SAMPLE]);
  const value: unknown = row?.value;
  try {
    return value instanceof Uint8Array && cipher.decrypt(value, SAMPLE) === SAMPLE;
  } catch {
    return false;
  }
}
