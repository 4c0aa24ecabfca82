import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ClientLimits, createMemoryRateLimiter } from '../../src/http/limits.ts';
import { Failure } from '../../src/ports/index.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { send } from '../support/raw-request.ts';

const quota = { requests: 2, seconds: 60, concurrent: 10 };
const quotas = { read: quota, write: quota, slotSearch: quota, patientSearch: { ...quota, requests: 1 } };

describe('the limits of clients', () => {
  test('count the requests of each client and class for themselves', async () => {
    const limits = new ClientLimits(quotas);
    for (const client of ['app', 'portal']) {
      for (const name of ['read', 'read', 'write', 'write', 'patientSearch'] as const) await limits.enter(client, name);
      for (const name of ['read', 'write', 'patientSearch'] as const) {
        await expect(limits.enter(client, name)).rejects.toMatchObject({ code: 'rate_limited' });
      }
    }
  });

  test('say what is allowed, and when to try again', async () => {
    const limits = new ClientLimits(quotas);
    await limits.enter('app', 'patientSearch');
    await expect(limits.enter('app', 'patientSearch')).rejects.toMatchObject({
      details: {
        retryAfter: 60,
        headers: { 'RateLimit-Policy': '"patientSearch";q=1;w=60', RateLimit: '"patientSearch";r=0;t=60' },
      },
    });
  });

  test('bound how many requests of a client are worked on at the same time', async () => {
    const limits = new ClientLimits({ ...quotas, read: { requests: 100, seconds: 60, concurrent: 2 } });
    const leave = await limits.enter('app', 'read');
    await limits.enter('app', 'read');
    await expect(limits.enter('app', 'read')).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfter: 1 },
    });
    await limits.enter('portal', 'read');
    leave(true);
    await limits.enter('app', 'read');
    await expect(limits.enter('app', 'read')).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('leave no place taken by requests that they refuse', async () => {
    const limits = new ClientLimits({ ...quotas, read: { requests: 1, seconds: 60, concurrent: 2 } });
    const leave = await limits.enter('app', 'read');
    for (let i = 0; i < 3; i++) {
      await expect(limits.enter('app', 'read')).rejects.toMatchObject({ details: { retryAfter: 60 } });
    }
    leave(true);
  });

  test('begin anew after a reset under names that no shared count has', async () => {
    const names: string[] = [];
    const limits = new ClientLimits(quotas, (name, given) => {
      names.push(name);
      return createMemoryRateLimiter(name, given);
    });
    await limits.enter('app', 'patientSearch');
    limits.reset();
    await limits.enter('app', 'patientSearch');
    limits.reset();
    expect(names).toHaveLength(12);
    expect(new Set(names).size).toBe(12);
  });

  test('count no request that was not served', async () => {
    const limits = new ClientLimits(quotas);
    for (let i = 0; i < 5; i++) (await limits.enter('app', 'patientSearch'))(false);
    (await limits.enter('app', 'patientSearch'))(true);
    await expect(limits.enter('app', 'patientSearch')).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('tell what is refused first in a window, and what is more of it', async () => {
    const limits = new ClientLimits({ ...quotas, read: { requests: 100, seconds: 60, concurrent: 1 } });
    const isRepeated = (name: 'read' | 'patientSearch') =>
      limits.enter('app', name).then(
        () => undefined,
        ({ details }) => details.repeated,
      );
    for (const name of ['read', 'patientSearch'] as const)
      expect([await isRepeated(name), await isRepeated(name), await isRepeated(name)]).toEqual([
        undefined,
        false,
        true,
      ]);
  });
});

test.each([
  ['', '/practitioner/', 503],
  [', also by the statuses of the API document', '/v1/insurance-carriers', 500],
])('an outage of the backend uses up no quota of who asks meanwhile%s', async (_, path, status) => {
  let isDown = true;
  const list = async () => (isDown ? Promise.reject(new Failure('overloaded', 'the backend sheds')) : []);
  const gateway = await startGateway({
    environment: { PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '2', PUENTE_COMPAT_STRICT_STATUS_CODES: 'true' },
    replacePort: (name, port) =>
      name === 'practitioners' ? { list } : name === 'insurance' ? { carriers: list } : port,
  });
  const ask = async () => (await gateway.ask('GET', path)).status;
  const during = [await ask(), await ask(), await ask(), await ask(), await ask()];
  isDown = false;
  const after = [await ask(), await ask(), await ask()];
  await gateway.stop();
  expect(during).toEqual(Array(5).fill(status));
  expect(after).toEqual([200, 200, 429]);
});

describe('a gateway with limits', () => {
  let gateway: RunningGateway;
  const search = '/patients/search?identifier=31465466';
  beforeAll(async () => {
    gateway = await startGateway({
      environment: {
        PUENTE_LIMITS_CLIENTS_PATIENT_SEARCH_REQUESTS: '3',
        PUENTE_LIMITS_FAILED_TOKENS_REQUESTS: '2',
        PUENTE_HTTP_TRUSTED_PROXIES: '[127.0.0.1]',
      },
    });
  });
  afterAll(() => gateway.stop());

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    gateway.ask('GET', path, undefined, headers);

  test('answers the searches beyond it with 429 and when to come again, and everything else as before', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await ask(search)).status);
    expect(statuses).toEqual([200, 200, 200]);
    const refused = await ask(search);
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([429, 'rate_limited']);
    expect(refused.headers['ratelimit-policy']).toBe('"patientSearch";q=3;w=60');
    expect(refused.headers.ratelimit).toMatch(/^"patientSearch";r=0;t=\d+$/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask('/patients/ana')).status).toBe(200);
  });

  test('answers tokens that fail with 429 beyond the limit of their address, and accepts the valid ones there', async () => {
    const fail = (address: string) =>
      ask('/patients/ana', { authorization: 'Bearer wrong', 'x-forwarded-for': `10.9.9.9, ${address}` });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await fail('192.0.2.1')).status);
    expect(statuses).toEqual([401, 401, 429]);
    expect((await fail('192.0.2.2')).status).toBe(401);
    expect((await ask('/patients/ana', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(200);
  });

  test.each([
    ['192.0.2.9', '::ffff:192.0.2.9', '::FFFF:c000:209'],
    ['2001:db8::9', '2001:0DB8:0:0:0::9', '2001:db8:0:0:ffff::'],
  ])('answers requests without a token so too, and takes the spellings of %s for one', async (...spellings) => {
    const askWithout = (address: string) =>
      send(gateway.url, 'PUT', '/patients/ana/appointments/1', { 'x-forwarded-for': address });
    const statuses = [];
    for (const spelling of spellings) statuses.push((await askWithout(spelling)).status);
    expect(statuses).toEqual([401, 401, 429]);
    expect((await askWithout('192.0.2.10')).status).toBe(401);
  });

  test('closes the connection of whoever does not heed a limit, and keeps those of a proxy', async () => {
    const direct = await startGateway({ environment: { PUENTE_LIMITS_FAILED_TOKENS_REQUESTS: '1' } });
    const seen: unknown[] = [];
    for (const { url } of [direct, direct, direct, gateway, gateway, gateway, gateway]) {
      const asked = { connection: 'keep-alive', 'x-forwarded-for': '192.0.2.30' };
      const { status, headers } = await send(url, 'GET', '/patients/ana', asked);
      seen.push([status, headers.connection]);
    }
    await direct.stop();
    const kept = 'keep-alive';
    expect(seen.slice(0, 3)).toEqual([
      [401, kept],
      [429, kept],
      [429, 'close'],
    ]);
    expect(seen.slice(3)).toEqual([
      [401, kept],
      [401, kept],
      [429, kept],
      [429, kept],
    ]);
  });

  test('writes a line about the first refusal beyond a limit, and none about those after it', async () => {
    const refuse = () => send(gateway.url, 'GET', '/patients/ana', { 'x-forwarded-for': '192.0.2.20' });
    const countLines = () => gateway.lines.filter((line) => /"level":"info".*"rate_limited"/.test(line)).length;
    await refuse();
    await refuse();
    const before = countLines();
    for (let i = 0; i < 20; i++) expect((await refuse()).status).toBe(429);
    expect((await ask('/patients/ana')).status).toBe(200);
    expect(countLines() - before).toBe(1);
  });
});
