import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { createByteClient } from '../../src/http-client/axios.ts';
import { createKeyProof, fetchToken } from '../../src/http-client/oauth.ts';
import { startGateway } from '../support/gateway.ts';
import { Realm, readKeycloak, say } from './keycloak.ts';

// npm run test:live:identity: who calls and who we are, with a real Keycloak, in realms of its own that it removes.
const { base, admin } = readKeycloak();
jest.setTimeout(120_000);

const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const logins = ['RS384', 'ES384'] as const;
const [realm, other] = await Promise.all([1, 2].map(() => Realm.create(base, admin)));
if (!realm || !other) throw new Error('no realm');
for (const algorithm of algorithms) {
  const attributes = { 'access.token.signed.response.alg': algorithm };
  await realm.addClient(`platform-${algorithm}`, ['patients:read'], 'puente', { secret: 's', attributes });
}
await realm.addClient('elsewhere', ['patients:read'], 'another', { secret: 's' });
await other.addClient('platform-RS256', ['patients:read'], 'puente', { secret: 's' });
await realm.addUser('ana', 'ana');
const pairs = await Promise.all(logins.map((alg) => generateKeyPair(alg, { extractable: true })));
await realm.addKeyClient(
  'gateway',
  await Promise.all(
    pairs.map(async ({ publicKey }, i) => {
      const alg = logins[i] ?? '';
      return { ...(await exportJWK(publicKey)), kid: alg, alg, use: 'sig' };
    }),
  ),
);

const gateway = await startGateway({
  environment: {
    PUENTE_AUTH_JWT_PRESET: 'keycloak',
    PUENTE_AUTH_JWT_ISSUER: realm.issuer,
    PUENTE_AUTH_JWT_AUDIENCE: 'puente',
    PUENTE_LIMITS_FAILED_TOKENS_REQUESTS: '100000',
  },
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([realm.remove(), other.remove()]);
});

async function ask(token: string, path = '/patients/ana'): Promise<number> {
  const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}

const getCause = (): unknown => JSON.parse(gateway.lines.findLast((line) => line.includes('"request"')) ?? '{}').cause;

/** The token with another header. */
function rename(token: string, kid: string): string {
  const [header = '', ...rest] = token.split('.');
  const changed = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), kid };
  return [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...rest].join('.');
}

describe('a token of Keycloak', () => {
  test.each(algorithms)('is accepted when it is signed with %s', async (algorithm) => {
    expect(await ask(await realm.getToken(`platform-${algorithm}`, 's'))).toBe(200);
  });

  test('of a person is accepted, and names nobody in the log', async () => {
    const person = { grant_type: 'password', username: 'ana', password: 'ana', scope: 'openid' };
    expect(await ask(await realm.getToken('platform-RS256', 's', person))).toBe(200);
    expect(gateway.lines.at(-1)).toContain('"client":"platform-RS256"');
    expect(gateway.lines.join('\n')).not.toMatch(/ferreyra|example\.org/i);
  });

  test('is refused with the reason in the log', async () => {
    const right = await realm.getToken('platform-RS256', 's');
    const [header, payload = '', signature] = right.split('.');
    const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), scope: 'tickets:read' };
    const forged = [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    const refused: [string, number, string, string?][] = [
      [await realm.getToken('elsewhere', 's'), 401, 'wrong_audience'],
      [await other.getToken('platform-RS256', 's'), 401, 'wrong_issuer'],
      [forged, 401, 'bad_signature'],
      [right, 403, 'scope_missing', '/ticket_types'],
    ];
    for (const [token, status, cause, path] of refused) {
      expect([await ask(token, path), getCause()]).toEqual([status, cause]);
    }
  });

  test('is accepted right after the keys were rotated, while a stranger names 50 keys a second', async () => {
    const known = await realm.getToken('platform-RS256', 's');
    const forgeries: Promise<number>[] = [];
    let attacks = true;
    const begin = performance.now();
    const attack = (async () => {
      while (attacks) {
        // As many as are due, however late this turn is.
        while (forgeries.length < (performance.now() - begin) / 20) {
          forgeries.push(ask(rename(known, `stranger-${forgeries.length}`)));
        }
        await sleep(20);
      }
    })();
    await sleep(500);
    const load: Promise<number>[] = [];
    const platform = (async () => {
      while (attacks) {
        load.push(ask(known), realm.getToken('platform-RS256', 's').then(ask));
        await sleep(100);
      }
    })();
    const statuses: number[] = [];
    for (let round = 0; round < 2; round++) {
      await realm.rotateKeys();
      for (let i = 0; i < 10; i++) statuses.push(await ask(await realm.getToken('platform-RS256', 's')));
    }
    attacks = false;
    await Promise.all([attack, platform]);
    expect(statuses).toEqual(Array(20).fill(200));
    expect(new Set(await Promise.all(load))).toEqual(new Set([200]));
    const seconds = Math.round((performance.now() - begin) / 1_000);
    say(
      `2 rotations in ${seconds} s, ${forgeries.length} forged and ${load.length + 20} right tokens, of which none was refused`,
    );
    expect(new Set(await Promise.all(forgeries))).toEqual(new Set([401]));
  });
});

describe('a login at Keycloak with a key', () => {
  const http = createByteClient({ timeout: 5_000, maxBytes: 1 << 20, tls: {} });
  const { tokenUrl } = realm;

  async function logIn(alg: (typeof logins)[number], changes: object = {}, scope?: string) {
    const pair = pairs[logins.indexOf(alg)];
    if (!pair) throw new Error('no key');
    const key = await exportPKCS8(pair.privateKey);
    const proof = { clientId: 'gateway', tokenUrl, key, keyId: alg, algorithm: alg, ...changes };
    const source = { http, tokenUrl, timeout: 5_000, prove: await createKeyProof(proof) };
    return fetchToken(scope === undefined ? source : { ...source, scope }, AbortSignal.timeout(5_000));
  }

  test.each(logins)('by %s gets a token', async (algorithm) => {
    expect((await logIn(algorithm)).header).toMatch(/^Bearer ./);
  });

  test.each<[string, object, string | undefined]>([
    ['login_wrong_key', { keyId: 'another' }, undefined],
    ['login_wrong_client', { clientId: 'nobody' }, undefined],
    ['login_wrong_audience', { assertionAudience: 'https://elsewhere.example.org' }, undefined],
    ['login_wrong_scope', {}, 'system/*.rs'],
  ])('says %s', async (reason, changes, scope) => {
    await expect(logIn('ES384', changes, scope)).rejects.toMatchObject({ reason });
  });

  test('says that the clocks differ', async () => {
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 120_000);
    await expect(logIn('ES384')).rejects.toMatchObject({ reason: 'login_wrong_clock' });
    jest.restoreAllMocks();
  });
});
