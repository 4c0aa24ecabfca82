import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, jest, test } from '@jest/globals';
import { openPostgres } from '../../src/database/postgres.ts';
import { FaultServer } from '../fault-server/server.ts';
import { listen } from '../support/listen.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';

const server = missing === undefined ? await startPostgres() : undefined;

const insert = 'INSERT INTO things (name) VALUES ($1)';
const refusal = { name: 'DatabaseUnavailable', isOutcomeUnknown: false };

test('a database that takes connections and says nothing is given up after two seconds', async () => {
  const port = await listen(createServer());
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  try {
    const opened = openPostgres(`postgres://puente@127.0.0.1:${port}/puente`).catch((error: unknown) => error);
    jest.advanceTimersByTime(1_900);
    expect(await Promise.race([opened, wait(20, 'it still waits')])).toBe('it still waits');
    jest.advanceTimersByTime(200);
    const ended = await Promise.race([opened, wait(3_000, 'it still waits', { ref: false })]);
    expect(ended).toMatchObject({ ...refusal, code: 'connect_timeout' });
  } finally {
    jest.useRealTimers();
  }
});

describe(`PostgreSQL as a database${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!server) return void test.skip('has a server of its own', () => undefined);

  /** A database with a table, and what stands in front of it. */
  async function openBehindFaults() {
    const url = await server!.createUrl();
    const faults = await FaultServer.start(`http://127.0.0.1:${new URL(url).port}/`);
    const address = url.replace(`:${new URL(url).port}/`, `:${new URL(faults.url).port}/`);
    const database = await openPostgres(address, 200);
    await database.query('CREATE TABLE things (name TEXT PRIMARY KEY)');
    const listNames = async () =>
      (await database.query('SELECT name FROM things')).map((row) => Reflect.get(row, 'name'));
    const stop = async () => {
      await database.close();
      await faults.stop();
    };
    return { database, faults, listNames, stop };
  }

  test('cannot say what became of a statement whose answer got lost, and has a new connection for the next', async () => {
    const { database, faults, listNames, stop } = await openBehindFaults();
    faults.set({ type: 'limit_data', bytes: 0 });
    await expect(database.query(insert, ['committed'])).rejects.toMatchObject({ ...refusal, isOutcomeUnknown: true });
    faults.set();
    expect(await listNames()).toEqual(['committed']);
    await stop();
  });

  test('keeps nothing of a migration that fails, and works on', async () => {
    const { database, listNames, stop } = await openBehindFaults();
    const migrated = database.migrate(async (query) => {
      await query(insert, ['half']);
      await query('INSERT INTO nothing (name) VALUES (1)');
    });
    await expect(migrated).rejects.toMatchObject(refusal);
    expect(await listNames()).toEqual([]);
    await database.migrate(async (query) => void (await query(insert, ['whole'])));
    expect(await listNames()).toEqual(['whole']);
    await stop();
  });

  test('lets a statement take two seconds, keeps no transaction open for longer than ten, and tells its name', async () => {
    const database = await openPostgres(await server.createUrl());
    const names = "'statement_timeout', 'idle_in_transaction_session_timeout', 'application_name'";
    const rows = await database.query(`SELECT current_setting(unnest(ARRAY[${names}])) AS value`);
    expect(rows.map((row) => Reflect.get(row, 'value'))).toEqual(['2s', '10s', 'puente']);
    await database.close();
  });

  test('lets a statement take longer or shorter where it is told how long, and the next as long as before', async () => {
    const database = await openPostgres(await server.createUrl(), 150);
    const sleep = (seconds: number, ms?: number) =>
      database.query(`SELECT pg_sleep(${seconds})`, [], ms === undefined ? undefined : () => ms);
    expect(await sleep(0.4, 600_000)).toHaveLength(1);
    await expect(sleep(60)).rejects.toMatchObject({ ...refusal, code: 'PG_57014' });
    await expect(sleep(60, 20)).rejects.toMatchObject({ ...refusal, code: 'PG_57014' });
    await expect(sleep(0, 0)).rejects.toMatchObject({ ...refusal, code: 'statement_timeout' });
    expect(await sleep(0)).toHaveLength(1);
    await database.close();
  });

  test('has eight connections at most, on which everybody else waits', async () => {
    const database = await openPostgres(await server.createUrl());
    const sleeping = Array.from({ length: 17 }, () =>
      database.query('SELECT pg_backend_pid() AS pid FROM pg_sleep(0.05)'),
    );
    const rows = (await Promise.all(sleeping)).flat();
    expect(rows).toHaveLength(17);
    expect(new Set(rows.map((row) => Reflect.get(row, 'pid'))).size).toBe(8);
    await database.close();
  });

  test('does not wait with its migration for that of another schema, which another institution may have', async () => {
    const [one, other] = [await openPostgres(await server.createUrl()), await openPostgres(await server.createUrl())];
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const first = one.migrate(async () => {
      begun.resolve();
      await end.promise;
    });
    await begun.promise;
    const second = other.migrate(async (query) => void (await query('CREATE TABLE things (name TEXT)')));
    try {
      expect(await Promise.race([second.then(() => 'migrated'), wait(10_000, 'it waits', { ref: false })])).toBe(
        'migrated',
      );
    } finally {
      end.resolve();
      await Promise.all([first, second]);
      await Promise.all([one.close(), other.close()]);
    }
  });

  test('waits with its migration for that of another, however long a statement may take', async () => {
    const url = await server!.createUrl();
    const [one, other] = [await openPostgres(url, 100), await openPostgres(url, 100)];
    const order: string[] = [];
    const migrate = (database: typeof one, name: string) =>
      database.migrate(async (query) => {
        order.push(`${name} begins`);
        await query('SELECT pg_sleep(0.8)');
        order.push(`${name} ends`);
      });
    await Promise.all([migrate(one, 'one'), migrate(other, 'other')]);
    const [first] = order[0]!.split(' ');
    const second = first === 'one' ? 'other' : 'one';
    expect(order).toEqual([`${first} begins`, `${first} ends`, `${second} begins`, `${second} ends`]);
    await Promise.all([one.close(), other.close()]);
  });

  test('is certain that nothing was done when it was refused in another language, and not when the connection ended', async () => {
    const { host, port } = new URL(await server!.createUrl());
    const relay = createServer((caller) => {
      const called = connect(Number(port), '127.0.0.1');
      caller.on('error', () => called.destroy()).pipe(called);
      called.on('error', () => caller.destroy()).on('close', () => caller.destroy());
      // The field S of an error is translated; this stands for a word of any language.
      called.on('data', (bytes) =>
        caller.write(Buffer.from(bytes.toString('latin1').replaceAll(/S(ERROR|FATAL)\0/g, 'SWRONG\0'), 'latin1')),
      );
    });
    const relayed = `127.0.0.1:${await listen(relay)}`;
    const database = await openPostgres((await server!.createUrl()).replace(host, relayed));
    await expect(database.query('SELECT 1/0')).rejects.toMatchObject({ ...refusal, code: 'PG_22012' });
    const ended = database.query('SELECT pg_terminate_backend(pg_backend_pid())');
    await expect(ended).rejects.toMatchObject({ name: 'DatabaseUnavailable', isOutcomeUnknown: true });
    await database.close();
  });

  test('is certain that nothing was done when it could not be reached, or refused', async () => {
    const { database, faults, listNames, stop } = await openBehindFaults();
    await database.query(insert, ['there']);
    await expect(database.query(insert, ['there'])).rejects.toMatchObject({ ...refusal, code: 'PG_23505' });
    await expect(database.query('SELECT pg_sleep(1)')).rejects.toMatchObject({ ...refusal, code: 'PG_57014' });
    await faults.down();
    // The connection of the pool may not have noticed yet.
    await expect(listNames()).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
    await expect(database.query(insert, ['never'])).rejects.toMatchObject({ ...refusal, code: 'ECONNREFUSED' });
    await faults.up();
    expect(await listNames()).toEqual(['there']);
    await stop();
  });
});
