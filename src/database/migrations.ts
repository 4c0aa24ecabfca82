import { Cipher } from './cipher.ts';
import type { Database, RunQuery } from './database.ts';
import { claimContent, type Owner, requireOwner } from './owner.ts';

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
 * fails, it changes nothing and closes the database. If the database has `notes`, it only reads.
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
    const table = `${schema.prefix}_encryption`;
    if (database.notes) {
      const version = await findVersion(database, schema);
      database.notes.push(...listNotes(schema, version));
      if (version === undefined) return cipher;
      await requireKey(database.query, table, cipher);
      if (owner) await requireOwner(database.query, table, owner);
      return cipher;
    }
    await database.migrate(async (query) => {
      await migrate(query, schema, database);
      await addSample(query, table, cipher);
      await requireKey(query, table, cipher);
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

const catalogs: Readonly<Record<Database['system'], string>> = {
  sqlite: 'SELECT 1 FROM sqlite_schema WHERE name = $1',
  postgresql: 'SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1',
};

/** The version of the tables. Undefined if there are none. */
async function findVersion({ system, query }: Database, { prefix }: Schema): Promise<number | undefined> {
  const table = `${prefix}_migrations`;
  if ((await query(catalogs[system], [table])).length === 0) return undefined;
  const [row] = await query(`SELECT max(version) AS version FROM ${table}`);
  return typeof row?.version === 'number' ? row.version : undefined;
}

/** The change that a start would make to tables of this version. Empty if it would make none. */
function listNotes({ prefix, migrations }: Schema, version: number | undefined): string[] {
  const tables = `the tables ${prefix}_*`;
  const latest = Math.max(...migrations.map((migration) => migration.version));
  if (version === undefined) return [`the start creates ${tables}`];
  if (version < latest) return [`the start upgrades ${tables} from version ${version} to ${latest}`];
  if (version === latest) return [];
  return [`${tables} have version ${version} of a newer Puente: this version has ${latest}, and keeps them`];
}

/** The table with a sample that identifies the encryption key, and with the owning institution. */
export const createEncryptionTable = (prefix: Schema['prefix'], { bytes }: Pick<Database, 'bytes'>): string =>
  `CREATE TABLE ${prefix}_encryption (name TEXT PRIMARY KEY, value ${bytes} NOT NULL)`;

const SAMPLE = 'puente';

/** Verifies that the cipher has the first key. */
export async function renewSample(query: RunQuery, { prefix }: Schema, cipher: Cipher): Promise<void> {
  await query(`UPDATE ${prefix}_encryption SET value = $2 WHERE name = $1`, [SAMPLE, cipher.encrypt(SAMPLE, SAMPLE)]);
}

async function addSample(query: RunQuery, table: string, cipher: Cipher): Promise<void> {
  await query(`INSERT INTO ${table} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, [
    SAMPLE,
    cipher.encrypt(SAMPLE, SAMPLE),
  ]);
}

async function requireKey(query: RunQuery, table: string, cipher: Cipher): Promise<void> {
  if (!(await isKeyOf(query, table, cipher))) throw new WrongEncryptionKey();
}

async function isKeyOf(query: RunQuery, table: string, cipher: Cipher): Promise<boolean> {
  const [row] = await query(`SELECT value FROM ${table} WHERE name = $1`, [SAMPLE]);
  const value: unknown = row?.value;
  try {
    return value instanceof Uint8Array && cipher.decrypt(value, SAMPLE) === SAMPLE;
  } catch {
    return false;
  }
}
