import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { explainDatabaseCode } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { listen } from '../support/listen.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';

const server = missing === undefined ? await startPostgres() : undefined;

/** Why the database at this address cannot be used. */
const findCode = async (url: string): Promise<string> => {
  const error: unknown = await openPostgres(url).then(
    (database) => database.close().then(() => 'it opens'),
    ({ code }: { code: string }) => code,
  );
  return String(error);
};

describe(`The cause of a failure of PostgreSQL${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!server) return void test.skip('has a server of its own', () => undefined);

  test('has a code, and words for an operator', async () => {
    const url = new URL(await server.createUrl());
    url.search = '';
    await server.sql("CREATE ROLE tester LOGIN PASSWORD 'right' CONNECTION LIMIT 0");
    const change = (changes: Partial<Record<'username' | 'password' | 'pathname' | 'search' | 'port', string>>) =>
      Object.assign(new URL(url), changes).href;
    const silent = await listen(createServer());
    const causes = {
      PG_3D000: change({ pathname: '/nothing' }),
      PG_28000: change({ username: 'nobody' }),
      PG_53300: change({ username: 'tester' }),
      tls_refused: change({ search: '?sslmode=require' }),
      ECONNREFUSED: change({ port: '1' }),
      connect_timeout: change({ port: String(silent) }),
      ERR_INVALID_URL: 'postgres://puente:a/b#c@localhost/postgres',
    };
    for (const [code, address] of Object.entries(causes)) {
      expect([address, await findCode(address)]).toEqual([address, code]);
      expect(explainDatabaseCode(code)).toMatch(/^[a-z].+[:,].+/);
    }
  });

  test('is a wrong password, or none', async () => {
    await server.sql("CREATE ROLE guarded LOGIN PASSWORD 'right'");
    const url = new URL(await server.createUrl());
    await server.requirePasswords('guarded');
    url.username = 'guarded';
    expect(await findCode(url.href)).toBe('password_missing');
    url.password = 'wrong';
    expect(await findCode(url.href)).toBe('PG_28P01');
    url.password = 'right';
    expect(await findCode(url.href)).toBe('it opens');
  });

  test('is a statement that takes too long, or a pool that is busy with such', async () => {
    const { query, close } = await openPostgres(await server.createUrl(), 5_000);
    const busy = Array.from({ length: 8 }, () => query('SELECT pg_sleep(60)').catch(({ code }) => code));
    expect(await query('SELECT 1').catch(({ code }) => code)).toBe('pool_busy');
    expect(new Set(await Promise.all(busy))).toEqual(new Set(['PG_57014']));
    await close();
  });
});
