import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { runPuente, serve, token } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const server = missing === undefined ? await startPostgres() : undefined;
const preload = pathToFileURL(join(import.meta.dirname, '../support/shifted-clock.ts')).href;
const stops: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));
const folder = makeFolder();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A gateway that lets a client read three times a minute, in a process whose clock can be set. */
async function serveShifted(environment: Readonly<Record<string, string>>, shift = 0) {
  const file = join(folder, randomUUID());
  const setClock = (ms: number) => writeFileSync(file, String(ms));
  setClock(shift);
  const running = await serve({
    PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '3',
    PUENTE_LIMITS_CLIENTS_READ_SECONDS: '60',
    NODE_OPTIONS: `--import=${preload}`,
    SHIFTED_CLOCK: file,
    ...environment,
  });
  const read = () => fetch(`${running.url}/practitioner/`, { headers: { Authorization: `Bearer ${token}` } });
  const stop = () => {
    running.signal('SIGTERM');
    return running.ended;
  };
  stops.push(stop);
  return { url: running.url, read, setClock, stop };
}

/** The seconds after which the first request that is refused may come again. */
async function readUntilRefused(read: () => Promise<Response>): Promise<number> {
  for (let i = 0; i < 10; i++) {
    const { status, headers } = await read();
    if (status === 429) return Number(headers.get('retry-after'));
    expect(status).toBe(200);
  }
  return 0;
}

test('a client waits no longer than its window after the clock of the gateway went back', async () => {
  const gateway = await serveShifted({});
  expect((await gateway.read()).status).toBe(200);
  gateway.setClock(-52 * HOUR);
  const wait = await readUntilRefused(gateway.read);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(60);
});

test('a clock that was 4,100 days ahead for an hour has deleted no record of the audit trail', async () => {
  const environment = {
    PUENTE_STATE_KIND: 'sqlite',
    PUENTE_STATE_FILE: join(folder, `${randomUUID()}.db`),
    PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
    STATE_KEY: randomBytes(32).toString('base64'),
    PUENTE_AUDIT_CHAIN: 'north-1',
  };
  const since = join(folder, randomUUID());
  for (const shift of [0, 4_100 * DAY, 0]) {
    const gateway = await serveShifted(environment, shift);
    expect((await gateway.read()).status).toBe(200);
    // The preload lets an hour of intervals pass within a second.
    if (shift > 0) await setTimeout(2_000);
    await gateway.stop();
    if (shift === 0) writeFileSync(since, (await runPuente(['audit', 'verify'], environment)).stdout);
    const { stdout, code } = await runPuente(['audit', 'verify', '--since', since], environment);
    expect(stdout).toMatch(/^ok {4}north-1: \d+ records/m);
    expect(code).toBe(0);
  }
  const { stdout } = await runPuente(['audit', 'search'], environment);
  const reads = stdout.split('\n').filter((line) => line.includes('"listPractitioners"'));
  expect(reads).toHaveLength(3);
}, 60_000);

describe(`gateways of one PostgreSQL${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!server) return void test.skip('have a server of their own', () => undefined);

  /** What two gateways share. */
  async function share() {
    const secrets = { url: await server!.createUrl(), key: randomBytes(32).toString('base64') };
    for (const [name, secret] of Object.entries(secrets)) writeFileSync(join(folder, name), secret);
    return {
      PUENTE_STATE_KIND: 'postgres',
      PUENTE_STATE_URL: `file:${join(folder, 'url')}`,
      PUENTE_STATE_ENCRYPTION_KEY: `file:${join(folder, 'key')}`,
    };
  }

  test.each([
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
    ['4,100 days ahead', 4_100 * DAY],
  ])('count in the windows of the database, where the clock of one is %s for a request', async (_name, shift) => {
    const state = await share();
    const wrong = await serveShifted(state, shift);
    const right = await serveShifted(state);
    expect((await wrong.read()).status).toBe(200);
    wrong.setClock(0);
    for (const { read } of [right, wrong]) {
      const wait = await readUntilRefused(read);
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60);
    }
    expect((await right.read()).status).toBe(429);
  });

  test('say in /readyz and in a metric while their clock is another than that of the database', async () => {
    const gateway = await serveShifted(await share(), HOUR);
    const read = async (path: string) =>
      (await fetch(`${gateway.url}${path}`, { headers: { Authorization: `Bearer ${token}` } })).text();
    expect(JSON.parse(await read('/readyz'))).toEqual({ status: 'impaired', impairments: [{ code: 'clock' }] });
    expect(await read('/metrics')).toContain('puente_impairments{adapter="gateway",code="clock"} 1');
    gateway.setClock(0);
    expect(JSON.parse(await read('/readyz'))).toEqual({ status: 'ok' });
    gateway.setClock(-HOUR);
    expect(JSON.parse(await read('/readyz'))).toMatchObject({ status: 'impaired' });
  });
});
