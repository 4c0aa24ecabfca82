import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { getField } from '../toolkit/records.ts';
import { requireRegular } from '../toolkit/settings-file.ts';
import {
  checkRows,
  type Database,
  DatabaseUnavailable,
  type RunQuery,
  readSteadyClock,
  type SqlValue,
} from './database.ts';

/** Milliseconds that a statement waits for another process. It blocks the whole process. */
const BUSY_TIMEOUT = 250;

/**
 * Opens an SQLite database in a file of this machine, for one gateway. Committed data survives the end of the process
 * and a power failure. A missing file is created, for its owner only. `:memory:` has no file, and ends with the
 * process.
 * @throws DatabaseUnavailable if it cannot be opened.
 */
export async function openSqlite(file: string): Promise<Database> {
  const database = refuseAsUnavailable(() => {
    if (file !== ':memory:') {
      if (existsSync(file)) requireFile(file);
      else createFile(file);
    }
    const opened = new DatabaseSync(file, { timeout: BUSY_TIMEOUT });
    try {
      opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  });
  return toDatabase(database);
}

/**
 * Opens the database in a file. A missing file is an empty database in memory.
 * @throws DatabaseUnavailable if `openSqlite` could neither open nor create the file.
 */
export async function openExistingSqlite(file: string): Promise<Database> {
  const isMissing = refuseAsUnavailable(() => isCreatable(file));
  return openSqlite(isMissing ? ':memory:' : file);
}

/** True for a missing file. @throws the error of its folder if it could not be created. */
function isCreatable(file: string): boolean {
  if (existsSync(file)) return false;
  accessSync(dirname(file), constants.W_OK | constants.X_OK);
  return true;
}

/**
 * Opens the database in a file for reads, and leaves the file as it is. A missing file is an empty database.
 * @throws DatabaseUnavailable if `openSqlite` could neither open nor create the file.
 */
export async function readSqlite(file: string): Promise<Database> {
  const database = refuseAsUnavailable(() => {
    if (isCreatable(file)) return new DatabaseSync(':memory:');
    requireFile(file);
    const url = pathToFileURL(file);
    // Without a log of changes no process uses the file. SQLite then need not create the log and its index for reads.
    if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
    return new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT });
  });
  return toDatabase(database);
}

function toDatabase(database: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql.replaceAll(/\$(\d)/g, '?$1'));
    statements.set(sql, known);
    return known;
  };
  const query: RunQuery = async (sql, values: readonly SqlValue[] = []) =>
    refuseAsUnavailable(() => prepare(sql).all(...values));
  return {
    query,
    // Nothing runs in between: SQLite answers synchronously, and other statements would join the transaction.
    transact: async (statements) =>
      refuseAsUnavailable(() => {
        database.exec('BEGIN IMMEDIATE');
        try {
          for (const statement of statements) checkRows(statement, prepare(statement.sql).all(...statement.values));
          database.exec('COMMIT');
        } catch (error) {
          // SQLite may have rolled back itself, e.g. on a full disk.
          if (database.isTransaction) database.exec('ROLLBACK');
          throw error;
        }
      }),
    system: 'sqlite',
    now: readSteadyClock,
    bytes: 'BLOB',
    counter: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    migrate: (work) => {
      const migration = lastMigration.then(() => migrateAlone(query, work));
      lastMigration = migration.catch(() => undefined);
      return migration;
    },
    close: async () => {
      if (database.isOpen) database.close();
    },
  };
}

/** A lock for the connections of this process: a wait for SQLite's own lock would block the whole process forever. */
let lastMigration: Promise<unknown> = Promise.resolve();

async function migrateAlone(query: RunQuery, work: (query: RunQuery) => Promise<void>): Promise<void> {
  await query('BEGIN IMMEDIATE');
  try {
    await work(query);
    await query('COMMIT');
  } catch (error) {
    // SQLite may have rolled back itself, e.g. on a full disk. The first error has the cause.
    await query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** The result codes that an operator can fix: primary ones, and an extended one whose primary code hides the cause. */
const codes: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
  // SQLITE_IOERR_SHMSIZE: at the opening, the index of the log of changes finds no room.
  4874: 'SQLITE_FULL',
};

/** For its owner only. */
const createFile = (path: string): void => closeSync(openSync(path, 'a', 0o600));

/**
 * Checks that the file can be written. It must not open the file: closing it would release the locks of every
 * connection of this process to the file (POSIX). Another process could then delete the log of changes that such a
 * connection writes to.
 */
function requireFile(path: string): void {
  requireRegular(statSync(path));
  accessSync(path, constants.R_OK | constants.W_OK);
}

function refuseAsUnavailable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const errcode = getField(error, 'errcode');
    const known =
      typeof errcode === 'number'
        ? (codes[errcode] ?? codes[errcode & 0xff] ?? 'SQLITE_ERROR')
        : getField(error, 'code');
    throw new DatabaseUnavailable('the database refuses', known);
  }
}
