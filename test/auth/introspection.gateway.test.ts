import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ConfigFolder } from '../support/config-file.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { countStatuses, times, wait } from '../support/guarded-gateway.ts';
import { serve } from '../support/listen.ts';
import { createProvider, inSeconds } from '../support/provider.ts';

const { keys, sign } = await createProvider();
const claims = { iss: 'https://id.invalid', aud: 'puente', scope: 'patients:read', client_id: 'robot', sub: 'robot' };

/** The tokens that the provider was asked about. */
const asked: string[] = [];
let credentials: string | undefined;
let isDown = false;
const provider = await serve(async (request, response) => {
  const token = new URLSearchParams(Buffer.concat(await request.toArray()).toString()).get('token') ?? '';
  asked.push(token);
  credentials = request.headers.authorization;
  if (isDown) return void request.socket.destroy();
  const active = token.startsWith('valid') || token.includes('.');
  const person = { name: 'Ana Ferreyra', username: 'ana.ferreyra' };
  response.end(JSON.stringify(active ? { active, ...claims, ...person, exp: inSeconds(60) } : { active }));
});
const folder = new ConfigFolder();
const environment = {
  PUENTE_HTTP_TRUSTED_PROXIES: '[127.0.0.1]',
  PUENTE_AUTH_JWT_ISSUER: claims.iss,
  PUENTE_AUTH_JWT_AUDIENCE: claims.aud,
  PUENTE_AUTH_JWT_JWKS_FILE: folder.write('keys.json', JSON.stringify(keys)),
  PUENTE_AUTH_JWT_INTROSPECTION_ENDPOINT: `${provider}/introspect`,
  PUENTE_AUTH_JWT_INTROSPECTION_CLIENT_ID: 'gateway',
  PUENTE_AUTH_JWT_INTROSPECTION_CLIENT_SECRET: `file:${folder.write('secret', 'the-secret\n')}`,
  PUENTE_AUTH_JWT_INTROSPECTION_CACHE_SECONDS: '0',
};

let gateway: RunningGateway;
let count = 0;
beforeEach(async () => {
  gateway = await startGateway({ environment });
  asked.length = 0;
  isDown = false;
});
afterEach(() => gateway.stop());
afterAll(() => folder.remove());

const stranger = '203.0.113.1';
const platform = '203.0.113.2';

/** What a token gets that comes from that address. */
async function ask(address: string, token: string) {
  const from = { authorization: `Bearer ${token}`, 'x-forwarded-for': address };
  const { status, headers } = await gateway.ask('GET', '/patients/ana', undefined, from);
  return { status, retryAfter: headers['retry-after'] };
}
const sendJwt = async (address: string) =>
  ask(address, await sign({ typ: 'at+jwt' }, { ...claims, iat: inSeconds(-1), exp: inSeconds(60), jti: `${count++}` }));
const invent = () => ask(stranger, `invented-${count++}`);
const countInvented = () => asked.filter((token) => token.startsWith('invented')).length;

/** The line of the log that is the last after so many requests. */
async function readLine(requests: number): Promise<Record<string, unknown>> {
  const lines = () => gateway.lines.filter((line) => line.includes('"event":"request"'));
  await wait(() => lines().length === requests);
  return JSON.parse(lines().at(-1) ?? '');
}

describe('a gateway that asks its issuer about tokens', () => {
  test('accepts one that is active, refuses one that is not, and shows neither token nor person in the log', async () => {
    expect(await ask(platform, 'valid-opaque')).toMatchObject({ status: 200 });
    expect(await readLine(1)).toMatchObject({ client: 'robot' });
    expect(await ask(platform, 'revoked-opaque')).toMatchObject({ status: 401 });
    expect(await readLine(2)).toMatchObject({ cause: 'inactive' });
    expect(asked).toEqual(['valid-opaque', 'revoked-opaque']);
    expect(credentials).toBe(`Basic ${Buffer.from('gateway:the-secret').toString('base64')}`);
    expect(gateway.lines.join('\n')).not.toMatch(/opaque|ferreyra|the-secret/i);
  });

  test('answers 503 with Retry-After, not 401, when its issuer is down, and says so at /readyz', async () => {
    isDown = true;
    expect(await ask(platform, 'valid-opaque')).toEqual({ status: 503, retryAfter: '1' });
    expect(await readLine(1)).toMatchObject({ code: 'auth_provider_unavailable', cause: 'ECONNRESET' });
    const ready = await gateway.ask('GET', '/readyz');
    expect(ready.status).toBe(200);
    expect(JSON.parse(ready.text)).toMatchObject({ impairments: [{ code: 'introspection_unavailable' }] });
    isDown = false;
    expect(await ask(platform, 'valid-opaque')).toMatchObject({ status: 200 });
  });
});

describe('an address that sends invented opaque tokens', () => {
  test('keeps no new token of another address out, and has its issuer asked about few', async () => {
    const invented = times(330, invent);
    const valid = times(40, () => ask(platform, `valid-${count++}`));
    expect(countStatuses(await Promise.all(valid))).toEqual({ 200: 40 });
    await Promise.all(invented);
    for (let i = 0; i < 20; i++) expect((await invent()).status).toBe(429);
    // Until ten have failed 32 are asked about at a time.
    expect(countInvented()).toBeLessThanOrEqual(10 + 2 * 32);
  });

  test('keeps no JWT out', async () => {
    for (let i = 0; i < 12; i++) await invent();
    expect((await sendJwt(stranger)).status).toBe(200);
  });

  test('keeps those out that nobody knows there, and says why in the log alone, but none that was active before', async () => {
    expect((await ask(stranger, 'valid-known')).status).toBe(200);
    for (let i = 0; i < 10; i++) expect((await invent()).status).toBe(401);
    expect((await ask(stranger, 'valid-new')).status).toBe(429);
    expect(await readLine(12)).toMatchObject({ level: 'info', code: 'rate_limited', cause: 'not_asked' });
    expect((await ask(stranger, 'valid-newer')).status).toBe(429);
    expect(await readLine(13)).toMatchObject({ level: 'debug', code: 'rate_limited', cause: 'not_asked' });
    expect((await ask(stranger, 'valid-known')).status).toBe(200);
    expect((await ask(platform, 'valid-new')).status).toBe(200);
  });

  test('has those counted too that its issuer does not answer for', async () => {
    isDown = true;
    for (let i = 0; i < 10; i++) expect((await invent()).status).toBe(503);
    const before = asked.length;
    expect((await invent()).status).toBe(429);
    expect(asked).toHaveLength(before);
  });

  test('is not charged for tokens that were active before and that its issuer does not answer for', async () => {
    expect((await ask(platform, 'valid-known')).status).toBe(200);
    isDown = true;
    for (let i = 0; i < 12; i++) expect((await ask(platform, 'valid-known')).status).toBe(503);
  });
});
