import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { readAddressCertificates } from '../toolkit/certificates.ts';
import { SettingsProblem } from '../toolkit/problems.ts';
import { readSecret } from '../toolkit/secret.ts';
import { telemetry, trace } from '../toolkit/telemetry.ts';
import { parseEncryptionKey } from './cipher.ts';
import type { DatabaseSettings } from './database.ts';
import { canPass, type Database, DatabaseUnavailable, describeDatabaseCode } from './database.ts';
import { WrongEncryptionKey } from './migrations.ts';
import { WrongOwner } from './owner.ts';
import { openExistingSqlite, openSqlite, readSqlite } from './sqlite.ts';

const reading = new AsyncLocalStorage<string[]>();

/**
 * Runs work in which `openDatabase` only reads: it creates no SQLite file and no table.
 * @param notes receives what a start would change, one line each.
 */
export const onlyReadDatabases = <T>(notes: string[], work: () => Promise<T>): Promise<T> => reading.run(notes, work);

const creatingNone = new AsyncLocalStorage<string[]>();

/**
 * Runs work in which `openDatabase` creates no SQLite file: a missing file is an empty database in memory. Only a gateway
 * creates it, because a command may run as another user, and a wrong path would stay unnoticed.
 * @param missing receives the missing files.
 */
export const createNoFiles = <T>(missing: string[], work: () => Promise<T>): Promise<T> =>
  creatingNone.run(missing, work);

/**
 * Opens the database of the settings, and its content.
 * @param open closes the database if it fails.
 * @param what names the content in problems, e.g. `the state`.
 * @throws SettingsProblem if a setting cannot be used.
 */
export async function openDatabase<T>(
  settings: DatabaseSettings,
  open: (database: Database, encryptionKeys: readonly Buffer[]) => Promise<T>,
  what: string,
): Promise<T> {
  const { keys, address } = readDatabaseSecrets(settings);
  try {
    return await open(addTelemetry(await connect(settings, address)), keys);
  } catch (error) {
    throw toSettingsProblem(error, settings, what);
  }
}

/**
 * The keys of the content, and the address of a database in PostgreSQL.
 * @throws SettingsProblem if one of them is missing, a key is invalid, or a certificate of the address cannot be used.
 */
export function readDatabaseSecrets({ kind, url = '', encryptionKey = '' }: DatabaseSettings) {
  const keys = [encryptionKey].flat().map((reference) => {
    const key = parseEncryptionKey(readSecret(reference, 'encryptionKey'));
    if (key) return key;
    throw new SettingsProblem('encryptionKey', ['must be 32 bytes in base64 or hexadecimal: openssl rand -base64 32']);
  });
  const address = kind === 'postgres' ? readSecret(url, 'url') : '';
  readAddressCertificates(address, 'url');
  return { keys, address };
}

async function connect({ kind, file = '', statementTimeout }: DatabaseSettings, address: string): Promise<Database> {
  const notes = reading.getStore();
  if (kind === 'sqlite') {
    const missing = creatingNone.getStore();
    if (!existsSync(file)) missing?.push(file);
    const open = notes ? readSqlite : missing ? openExistingSqlite : openSqlite;
    return { ...(await open(file)), notes };
  }
  // Its package is loaded only if it is used.
  const { openPostgres } = await import('./postgres.ts');
  return { ...(await openPostgres(address, statementTimeout)), notes };
}

/** Reports each statement. A transaction counts as one. */
function addTelemetry(database: Database): Database {
  const { query, transact, system, pool } = database;
  return {
    ...database,
    query: (sql, ...rest) =>
      trace(
        telemetry.statement,
        () => ({ system, sql, pool }),
        () => query(sql, ...rest),
      ),
    transact: (statements) =>
      trace(
        telemetry.statement,
        () => ({ system, sql: statements.map(({ sql }) => sql).join('; '), pool }),
        () => transact(statements),
      ),
  };
}

/** The problem that prevents the opening, for an operator. Other errors stay unchanged. */
function toSettingsProblem(error: unknown, { kind }: DatabaseSettings, what: string): unknown {
  if (error instanceof WrongEncryptionKey) {
    return new SettingsProblem('encryptionKey', [`is not the key that encrypted ${what}`]);
  }
  const setting = kind === 'sqlite' ? 'file' : 'url';
  if (error instanceof WrongOwner) return new SettingsProblem(setting, [`${what} ${error.problem}`]);
  if (!(error instanceof DatabaseUnavailable)) return error;
  const { code, parameter } = error;
  const named = parameter === undefined ? '' : `, here \`${parameter}\``;
  const problem = `cannot be used (${describeDatabaseCode(code)}${named})`;
  return new SettingsProblem(setting, [problem], canPass(code) ? code : undefined);
}
