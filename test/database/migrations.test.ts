import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type Database, DatabaseUnavailable, type RunQuery } from '../../src/database/database.ts';
import { openTables } from '../../src/database/migrations.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { stateSchema } from '../../src/state/keys.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();
const key = randomBytes(32);
const refusal = new DatabaseUnavailable('the database refuses', 'SQLITE_IOERR');

/** The database, which takes its time as one on another machine does, and refuses one statement. */
function refuseOnce(database: Database, refused: number): Database {
  let count = 0;
  const wrap =
    (query: RunQuery): RunQuery =>
    async (...given) => {
      const isRefused = count++ === refused;
      await setImmediate();
      if (isRefused) throw refusal;
      return query(...given);
    };
  return {
    ...database,
    query: wrap(database.query),
    migrate: (work) => database.migrate((query) => work(wrap(query))),
  };
}

test('tables that a database refuses are all there or none, whichever statement it was, and the next start makes them', async () => {
  const tables = [
    'audit',
    'audit_chains',
    'audit_forwarded',
    'audit_patients',
    'encryption',
    'idempotency',
    'migrations',
  ].map((name) => `puente_${name}`);
  const list = async ({ query }: Database) =>
    (await query(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)).map((row) =>
      Reflect.get(row, 'name'),
    );
  let refused = 0;
  for (; ; refused++) {
    const file = join(folder, `${refused}.db`);
    const database = await openSqlite(file);
    const opening = openTables(refuseOnce(database, refused), stateSchema, key);
    const error = await opening.then(() => undefined, Object);
    if (error === undefined) {
      await database.close();
      break;
    }
    expect(error).toBe(refusal);
    await expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'ERR_INVALID_STATE' });
    const next = await openSqlite(file);
    expect([[], tables]).toContainEqual(await list(next));
    await openTables(next, stateSchema, key);
    expect(await list(next)).toEqual(tables);
    await next.close();
  }
  expect(refused).toBeGreaterThan(5);
});
