import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { createPool } from '../../src/database/postgres.ts';
import { createSharedRateLimiters } from '../../src/http/shared-limits.ts';
import { Log } from '../../src/ports/index.ts';
import { openRateLimiters, openState } from '../../src/runtime/open.ts';
import { missing, runPostgres } from '../support/postgres-process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const server = missing === undefined ? await runPostgres() : undefined;
let isStopped = false;
const stop = () => {
  if (!isStopped) server?.stop();
  isStopped = true;
};
afterAll(stop);
const folder = makeFolder();
const patient = { answerTimeout: 60_000, pause: 60_000 };

class Lines extends Log {
  readonly events: string[] = [];
  write(_level: unknown, event: string): void {
    this.events.push(event);
  }
}

/** A configuration with its state in a new schema of the server. */
async function configure() {
  const secrets = { url: await server!.createUrl(), key: randomBytes(32).toString('base64') };
  for (const [name, secret] of Object.entries(secrets)) writeFileSync(join(folder, name), secret);
  const environment = {
    PUENTE_STATE_KIND: 'postgres',
    PUENTE_STATE_URL: `file:${join(folder, 'url')}`,
    PUENTE_STATE_ENCRYPTION_KEY: `file:${join(folder, 'key')}`,
  };
  return { loaded: readConfig({ environment, adapters }), url: secrets.url };
}

describe(`rate limiters of gateways with one PostgreSQL${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!server) return void test.skip('have a server of their own', () => undefined);

  test.each([10, 1_000])('share a quota of %i within a tenth', async (requests) => {
    const { loaded, url } = await configure();
    const state = await openState(loaded);
    const log = new Lines();
    const open = () => createSharedRateLimiters(createPool(url, 60_000, { max: 2 }), (key) => key, log, patient);
    const gateways = [open(), open()];
    const limiters = gateways.map(({ create }) => create('read', { requests, seconds: 3_600 }));
    let allowed = 0;
    // Rounds of requests that come at once, to both.
    for (let round = 0; round < 10; round++) {
      const burst = Array.from({ length: requests / 5 }, (_, i) => limiters[i % 2]!.take('app'));
      allowed += (await Promise.all(burst)).filter((each) => each.allowed).length;
    }
    expect(allowed).toBeLessThanOrEqual(requests);
    expect(allowed).toBeGreaterThanOrEqual(0.9 * requests);
    expect(log.events).toEqual([]);
    await Promise.all([...gateways, state].map((each) => each.close()));
  });

  test.each([
    ['is over', 0],
    ['lasts longer than a window can', 9_000_000_000_000],
  ])('begin a window anew that %s', async (_what, expire) => {
    const { loaded, url } = await configure();
    const state = await openState(loaded);
    const gateway = createSharedRateLimiters(createPool(url, 60_000, { max: 2 }), (key) => key, new Lines(), patient);
    const schema = /search_path%3D(\w+)/.exec(url)?.[1];
    await server.sql(`INSERT INTO ${schema}.puente_limits VALUES ('read:app', 1000, ${expire})`);
    const limiter = gateway.create('read', { requests: 2, seconds: 60 });
    expect(await limiter.look('app')).toMatchObject({ allowed: true });
    const taken = [await limiter.take('app'), await limiter.take('app'), await limiter.take('app')];
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(taken.at(-1)!.msLeft).toBeLessThanOrEqual(60_000);
    await Promise.all([gateway, state].map((each) => each.close()));
  });

  test('keep no key as it is, and go on without PostgreSQL', async () => {
    const { loaded, url } = await configure();
    const state = await openState(loaded);
    const log = new Lines();
    const gateway = await openRateLimiters(loaded, state, log);
    const limiter = gateway.create('failedTokens', { requests: 10, seconds: 3_600 });
    const schema = /search_path%3D(\w+)/.exec(url)?.[1];
    let keys = '';
    while (keys === '') {
      // A machine that is slow now counts in memory at first.
      await limiter.take('192.0.2.1');
      keys = await server.sql(`SELECT key FROM ${schema}.puente_limits`);
    }
    expect(keys).toMatch(/^failedTokens:[0-9a-f]{64}$/);
    stop();
    const taken = [];
    for (let i = 0; i < 30; i++) taken.push((await limiter.take('192.0.2.2')).allowed);
    expect(taken).toEqual(Array.from({ length: 30 }, (_, i) => i < 10));
    expect(log.events.at(-1)).toBe('limits not shared');
    await gateway.close();
    await state.close();
  });
});
