import { DatabaseSync } from 'node:sqlite';
import { SettingsProblem } from '../../../../src/toolkit/settings-problem.ts';
import { type Connection, type Driver, type Outcome, toTexts } from './driver.ts';
import type { DatabaseSettings } from './schema.ts';
import type { BoundStatement } from './statement.ts';

/** Milliseconds that a statement waits for another process; the whole process waits with it. */
const BUSY_TIMEOUT = 250;

/** Extended result codes of a unique key, a primary key and a row number that are there already. */
const uniqueKeys: readonly number[] = [2067, 1555, 2579];

/**
 * A file of SQLite. Changes take turns on a connection of their own, so that nobody reads what is not committed.
 * @throws SettingsProblem when there is no such file.
 */
export function openSqlite({ file }: Extract<DatabaseSettings, { kind: 'sqlite' }>): Driver {
  const reader = open(file, true);
  const writer = open(file, false);
  let lastTurn: Promise<void> = Promise.resolve();
  return {
    marks: { mark: (number) => `?${number}` },
    begin: 'BEGIN IMMEDIATE',
    probe: 'SELECT 1 FROM sqlite_schema',
    connect: async (purpose) => {
      if (purpose === 'read') return createConnection(reader, () => undefined);
      const { promise, resolve } = Promise.withResolvers<void>();
      const turnBefore = lastTurn;
      lastTurn = promise;
      await turnBefore;
      return createConnection(writer, resolve);
    },
    findCode: ({ errcode = 1 }: { errcode?: number }) =>
      `SQLITE_${uniqueKeys.includes(errcode) ? 'UNIQUE' : errcode & 0xff}`,
    codes: { exists: /_UNIQUE$/, refused: /_(19|20)$/, clash: /^$/, busy: /_[56]$/ },
    close: async () => {
      reader.close();
      writer.close();
    },
  };
}

function open(file: string, readOnly: boolean): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT, readBigInts: true });
  } catch {
    throw new SettingsProblem('database.file', [`${file} cannot be opened`]);
  }
}

function createConnection(database: DatabaseSync, release: () => void): Connection {
  const run = ({ sql, values }: BoundStatement): Outcome => {
    const statement = database.prepare(sql);
    if (statement.columns().length > 0) {
      const rows = statement.all(...values).map(toTexts);
      return { rows, changed: rows.length };
    }
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], changed: Number(changes), id: String(lastInsertRowid) };
  };
  return {
    run: async (statement) => run(statement),
    describe: async (sql) =>
      database
        .prepare(sql)
        .columns()
        .map(({ name }) => name),
    release,
  };
}
