import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { SettingsProblem } from '../../../../src/toolkit/settings-problem.ts';
import type { Connection, Driver } from '../../../common/sql-driver.ts';
import { Rows } from './driver.ts';
import type { DatabaseSettings } from './schema.ts';

/** Milliseconds that a statement waits for another process; the whole process waits with it. */
const BUSY_TIMEOUT = 250;

/** Extended result codes of a unique key, a primary key and a row number that are there already. */
const uniqueKeys: readonly number[] = [2067, 1555, 2579];

/**
 * A file of SQLite. Changes take turns on a connection of their own, so that nobody reads what is not committed.
 * @throws SettingsProblem when there is no such file.
 */
export function openSqlite({ file, records }: Extract<DatabaseSettings, { kind: 'sqlite' }>): Driver {
  const reader = open(file, records);
  void reader.run({ sql: 'PRAGMA query_only = ON', values: [] });
  const writer = open(file, records);
  let lastTurn: Promise<void> = Promise.resolve();
  return {
    system: 'sqlite',
    marks: { mark: (number) => `?${number}` },
    begin: 'BEGIN IMMEDIATE',
    probe: 'SELECT 1 FROM sqlite_schema',
    connect: async (purpose) => {
      if (purpose === 'read') return { ...reader, release: () => undefined };
      const { promise, resolve } = Promise.withResolvers<void>();
      const turnBefore = lastTurn;
      lastTurn = promise;
      await turnBefore;
      return { ...writer, release: () => resolve() };
    },
    findCode: ({ errcode = 1 }: { errcode?: number }) =>
      `SQLITE_${uniqueKeys.includes(errcode) ? 'UNIQUE' : errcode & 0xff}`,
    codes: { exists: /_UNIQUE$/, refused: /_(19|20)$/, clash: /^$/, busy: /_[56]$/, slow: /^$/ },
    close: async () => {
      reader.close();
      writer.close();
    },
  };
}

type Opened = Omit<Connection, 'release'> & Pick<DatabaseSync, 'close'>;

function open(file: string, records: number): Opened {
  const database = openFile(file);
  const known = new Map<string, { readonly statement: StatementSync; readonly hasRows: boolean }>();
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    const prepared = { statement, hasRows: statement.columns().length > 0 };
    known.set(sql, prepared);
    return prepared;
  };
  return {
    run: async ({ sql, values }) => {
      const { statement, hasRows } = known.get(sql) ?? prepare(sql);
      if (hasRows) {
        const rows = new Rows({ records });
        for (const row of statement.iterate(...values)) rows.add(row);
        return { rows: rows.all, changed: rows.all.length };
      }
      const { changes, lastInsertRowid } = statement.run(...values);
      return { rows: [], changed: Number(changes), id: String(lastInsertRowid) };
    },
    describe: async (sql) => {
      const columns = database.prepare(sql).columns();
      return columns.map(({ name }) => name);
    },
    close: () => database.close(),
  };
}

/** A connection that may only read could not undo what a process left that was killed while it wrote. */
function openFile(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw');
  try {
    return new DatabaseSync(url, { timeout: BUSY_TIMEOUT, readBigInts: true });
  } catch {
    throw new SettingsProblem('database.file', [`${file} cannot be opened`]);
  }
}
