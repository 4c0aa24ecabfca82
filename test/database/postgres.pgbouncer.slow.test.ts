import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openSources } from '../../adapters/mapping/sources/open-sources.ts';
import { database as mappedDatabase, sqlChange } from '../../adapters/mapping/sources/sql/schema.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { createPool, openPostgres, queryPool } from '../../src/database/postgres.ts';
import { createSharedRateLimiters } from '../../src/http/shared-limits.ts';
import { Log } from '../../src/ports/index.ts';
import { openDurableState } from '../../src/state/open.ts';
import { missing, type PoolMode, startPgbouncer } from '../support/pgbouncer.ts';
import { sourceCall, toValues } from '../support/source-call.ts';

const modes: readonly PoolMode[] = ['session', 'transaction'];
const poolers = new Map(
  await Promise.all(
    modes.map(async (mode) => [mode, missing === undefined ? await startPgbouncer(mode, 1) : undefined] as const),
  ),
);

class Lines extends Log {
  readonly events: unknown[] = [];
  write(_level: unknown, ...event: unknown[]): void {
    this.events.push(event);
  }
}

/** What another client of the pooler finds set on the connection that it shares. */
async function readAsAnother(url: string) {
  const client = new pg.Client(url);
  await client.connect();
  const names = "'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'";
  const { rows } = await client.query(`SELECT current_setting(unnest(ARRAY[${names}])) AS value`);
  await client.end();
  return rows.map(({ value }) => value);
}

describe.each(modes)('PostgreSQL behind PgBouncer in %s mode', (mode) => {
  const pooler = poolers.get(mode);
  if (!pooler) return void test.skip(`skipped: ${missing}`, () => undefined);

  test('keeps the state, ends a statement that takes too long, and leaves nothing set for other clients', async () => {
    const url = await pooler.createUrl();
    const database = await openPostgres(url, 200);
    await expect(database.query('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: 'PG_57014' });
    expect(await database.query('SELECT $1::text AS given', ['a'])).toEqual([{ given: 'a' }]);
    await database.migrate(async (query) => void (await query('CREATE TABLE things (name TEXT)')));
    await database.transact([
      { sql: 'INSERT INTO things VALUES ($1) RETURNING name', values: ['x'], mustReturn: true },
    ]);
    await database.close();
    expect(await readAsAnother(url)).toEqual(['0', '0', '0']);
    const state = await openDurableState(await openPostgres(url), [randomBytes(32)]);
    await state.close();
  });

  test('counts the requests of callers', async () => {
    const url = await pooler.createUrl();
    const state = await openDurableState(await openPostgres(url), [randomBytes(32)]);
    await state.close();
    const log = new Lines();
    const pool = createPool(url, 2_000, { max: 1 });
    const shared = createSharedRateLimiters(
      { query: (statement) => queryPool(pool, statement, 2_000), end: () => pool.end() },
      (key) => key,
      log,
      { answerTimeout: 5_000, pause: 5_000 },
    );
    const other = new pg.Client(url);
    if (mode === 'transaction') await other.connect();
    const limiter = shared.create('read', { requests: 3, seconds: 60 });
    const taken = [];
    for (let i = 0; i < 4; i++) {
      taken.push((await limiter.take('app')).allowed);
      // What another client prepares, or forgets, is on the same connection.
      if (mode === 'transaction') await other.query('DISCARD ALL');
    }
    expect(taken).toEqual([true, true, true, false]);
    expect(log.events).toEqual([]);
    if (mode === 'transaction') await other.end();
    await shared.close();
  });

  test('is a system of a mapping file, in the zone of the institution and serializable', async () => {
    const url = await pooler.createUrl();
    process.env.PGBOUNCER_TEST_URL = url;
    const sources = await openSources({
      system: 'his',
      database: mappedDatabase.parse({
        kind: 'postgres',
        url: 'env:PGBOUNCER_TEST_URL',
        timeout: 1_000,
        connections: 1,
      }),
      timeZone: 'America/Argentina/Buenos_Aires',
    });
    const ask = (sql: string) => sources.question(sql).ask({}, sourceCall());
    expect(await ask("SELECT current_setting('TimeZone') AS zone, current_setting('lock_timeout') AS wait")).toEqual([
      { zone: 'America/Argentina/Buenos_Aires', wait: '500ms' },
    ]);
    await expect(ask('SELECT pg_sleep(60)')).rejects.toMatchObject({ kind: 'timeout' });
    const steps = [
      {
        sql: 'CREATE TABLE made AS SELECT current_setting($$transaction_isolation$$) AS a, current_setting($$TimeZone$$) AS b',
        changes: 9,
      },
    ];
    expect(await sources.change(sqlChange.parse({ steps })).make(toValues({}), [], sourceCall())).toEqual({});
    expect(await ask('SELECT * FROM made')).toEqual([{ a: 'serializable', b: 'America/Argentina/Buenos_Aires' }]);
    await sources.close();
    expect(await readAsAnother(url)).toEqual(['0', '0', '0']);
  });

  test('that refuses a parameter of the address ends the start, and names it', async () => {
    process.env.PGBOUNCER_TEST_URL = `${await pooler.createUrl()}?options=-c%20search_path%3Dx`;
    process.env.PGBOUNCER_TEST_KEY = randomBytes(32).toString('base64');
    const settings = {
      kind: 'postgres',
      url: 'env:PGBOUNCER_TEST_URL',
      encryptionKey: 'env:PGBOUNCER_TEST_KEY',
    } as const;
    const opened = openDatabase(settings, async () => undefined, 'the state');
    await expect(opened).rejects.toMatchObject({
      name: 'SettingsProblem',
      setting: 'url',
      problems: [expect.stringMatching(/PG_08P01.*ignore_startup_parameters.*`options`/)],
      awaits: undefined,
    });
  });

  test('that refuses a parameter of the address of a mapping file ends its start, and names it', async () => {
    process.env.PGBOUNCER_TEST_URL = `${await pooler.createUrl()}?options=-c%20search_path%3Dx`;
    const settings = mappedDatabase.parse({ kind: 'postgres', url: 'env:PGBOUNCER_TEST_URL' });
    await expect(openSources({ system: 'his', database: settings })).rejects.toMatchObject({
      name: 'SettingsProblem',
      setting: 'database.url',
      problems: [expect.stringMatching(/PG_08P01.*ignore_startup_parameters.*`options`/)],
      awaits: undefined,
    });
  });
});
