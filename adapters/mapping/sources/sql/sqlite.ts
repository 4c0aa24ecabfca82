import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { SettingsProblem } from '../../../../src/toolkit/problems.ts';
import type { DatabaseConnection, DatabaseDriver, StatementOutcome } from '../../../common/sql-driver.ts';
import { createRows } from '../../../common/sql-rows.ts';
import { isInsert } from './driver.ts';
import type { SystemDatabase } from './schema.ts';
import { Turns } from './sql-source.ts';

/** Milliseconds that a statement waits for another process. It blocks the whole process. */
const BUSY_TIMEOUT = 250;

/** Extended result codes of a duplicate unique key, primary key or row number. */
const uniqueKeys: readonly number[] = [2067, 1555, 2579];

/**
 * Opens an SQLite file. Changes take turns on their own connection, so that no reader sees uncommitted data.
 * @throws SettingsProblem if there is no such file.
 */
export function openSqlite({ file, records }: Extract<SystemDatabase, { kind: 'sqlite' }>): DatabaseDriver {
  const reader = open(file, records);
  void reader.run({ sql: 'PRAGMA query_only = ON', values: [] });
  const writer = open(file, records);
  const turns = new Turns(1);
  return {
    system: 'sqlite',
    marks: { mark: (number) => `?${number}` },
    begin: 'BEGIN IMMEDIATE',
    isExclusive: true,
    probe: 'SELECT 1 FROM sqlite_schema',
    connect: async (purpose) => {
      if (purpose === 'read') return { ...reader, release: () => undefined };
      return new Promise((resolve) => {
        void turns.take(() => new Promise<void>((end) => resolve({ ...writer, release: () => end() })));
      });
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

/** The library binds a number as a decimal, and `12.0` is not the text `12` of a column. */
const toExact = (value: string | number | null) => (Number.isSafeInteger(value) ? BigInt(value!) : value);

type Opened = Omit<DatabaseConnection, 'release'> & Pick<DatabaseSync, 'close'>;

function open(file: string, records: number): Opened {
  const database = openFile(file);
  const known = new Map<string, StatementSync>();
  const take = (sql: string, statement: StatementSync, values: readonly SQLInputValue[]): StatementOutcome => {
    if (statement.columns().length > 0) {
      const rows = createRows({ records });
      for (const row of statement.iterate(...values)) rows.add(row);
      return { rows: rows.all, changed: rows.all.length };
    }
    const { changes, lastInsertRowid } = statement.run(...values);
    // After any other statement, this is the number of an earlier row.
    return { rows: [], changed: Number(changes), ...(isInsert(sql) && { id: String(lastInsertRowid) }) };
  };
  const prepare = (sql: string) => {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
  return {
    run: async ({ sql, values }) => {
      const statement = prepare(sql);
      // Returned to the cache after a success. The next `iterate()` of a failed statement would throw the former error
      // again.
      known.delete(sql);
      const outcome = take(sql, statement, values.map(toExact));
      known.set(sql, statement);
      return outcome;
    },
    describe: async (sql) =>
      prepare(sql)
        .columns()
        .map(({ name }) => name),
    close: () => database.close(),
  };
}

/** A read-only connection could not roll back the write of a killed process. */
function openFile(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw');
  try {
    return new DatabaseSync(url, { timeout: BUSY_TIMEOUT, readBigInts: true });
  } catch {
    throw new SettingsProblem('database.file', [`${file} cannot be opened`]);
  }
}
