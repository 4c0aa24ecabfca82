import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ConfigFolder } from '../../support/config-file.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { countStatuses, times, wait } from '../../support/guarded-gateway.ts';
import { createProvider, inSeconds } from '../../support/provider.ts';

const { keys, sign } = await createProvider();
const claims = {
  iss: 'https://id.invalid',
  aud: 'puente',
  scope: 'patients:read',
  client_id: 'platform',
  sub: 'platform',
};
const sendJwt = async (address: string) =>
  ask(address, await sign({ typ: 'at+jwt' }, { ...claims, iat: inSeconds(-1), exp: inSeconds(60), jti: `${count++}` }));

/** The tokens that the provider was asked about. */
const asked: string[] = [];
let isDown = false;
const provider = createServer(async (request, response) => {
  const token = new URLSearchParams(Buffer.concat(await request.toArray()).toString()).get('token') ?? '';
  asked.push(token);
  if (isDown) return void request.socket.destroy();
  const active = token.startsWith('valid') || token.includes('.');
  response.end(JSON.stringify(active ? { active, ...claims, exp: inSeconds(60) } : { active }));
});
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
const folder = new ConfigFolder();
const environment = {
  PUENTE_HTTP_TRUSTED_PROXIES: '[127.0.0.1]',
  PUENTE_AUTH_JWT_ISSUER: claims.iss,
  PUENTE_AUTH_JWT_AUDIENCE: claims.aud,
  PUENTE_AUTH_JWT_JWKS_FILE: folder.write('keys.json', JSON.stringify(keys)),
  PUENTE_AUTH_JWT_INTROSPECTION_ENDPOINT: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/introspect`,
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
afterEach(async () => {
  await gateway.stop();
});
afterAll(() => {
  folder.remove();
  provider.closeAllConnections();
  provider.close();
});

const stranger = '203.0.113.1';
const platform = '203.0.113.2';

/** What a token gets that comes from that address. */
async function ask(address: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address };
  const response = await fetch(`${gateway.url}/patients/ana`, { headers });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: undefined };
}
const invent = () => ask(stranger, `invented-${count++}`);
const countInvented = () => asked.filter((token) => token.startsWith('invented')).length;

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
    await wait(() => gateway.lines.some((line) => line.includes('"cause":"not_asked"')));
    expect(JSON.parse(gateway.lines.at(-1)!)).toMatchObject({ code: 'rate_limited', cause: 'not_asked' });
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
