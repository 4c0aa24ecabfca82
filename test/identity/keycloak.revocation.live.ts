import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { ConfigFolder } from '../support/config-file.ts';
import { startGateway } from '../support/gateway.ts';
import { ask, Realm, readKeycloak, say } from './keycloak.ts';

jest.setTimeout(120_000);
const { base, admin } = readKeycloak();
const CACHE_SECONDS = 2;
const realm = await Realm.create(base, admin);
const brief = { 'access.token.lifespan': '1' };
await realm.addClient('platform', ['patients:read'], 'puente', { secret: 's' });
await realm.addClient('brief', ['patients:read'], 'puente', { secret: 's', attributes: brief });
await realm.addClient('unlisted', ['patients:read'], 'puente', { secret: 's' });
await realm.addClient('asking', [], 'nobody', { secret: 'of-the-gateway' });
await realm.addUser('ana', 'ana');
const pair = await generateKeyPair('ES384', { extractable: true });
const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES384', use: 'sig' };
await realm.addKeyClient('asking-with-a-key', [jwk]);
const folder = new ConfigFolder();

const accept = {
  PUENTE_AUTH_JWT_PRESET: 'keycloak',
  PUENTE_AUTH_JWT_ISSUER: realm.issuer,
  PUENTE_AUTH_JWT_AUDIENCE: 'puente',
  PUENTE_AUTH_JWT_CLOCK_TOLERANCE: '0',
  PUENTE_LIMITS_FAILED_TOKENS_REQUESTS: '100000',
};
const bySecret = await startGateway({
  environment: {
    ...accept,
    PUENTE_AUTH_JWT_INTROSPECTION_CLIENT_ID: 'asking',
    PUENTE_AUTH_JWT_INTROSPECTION_CLIENT_SECRET: `file:${folder.write('secret', 'of-the-gateway')}`,
    PUENTE_AUTH_JWT_INTROSPECTION_CACHE_SECONDS: String(CACHE_SECONDS),
  },
});
const byKey = await startGateway({
  environment: {
    ...accept,
    PUENTE_AUTH_JWT_INTROSPECTION_CLIENT_ID: 'asking-with-a-key',
    PUENTE_AUTH_JWT_INTROSPECTION_PRIVATE_KEY: `file:${folder.write('key', await exportPKCS8(pair.privateKey))}`,
    PUENTE_AUTH_JWT_INTROSPECTION_KEY_ID: 'k1',
    PUENTE_AUTH_JWT_INTROSPECTION_CACHE_SECONDS: '0',
  },
});
const withoutUsers = await startGateway({
  environment: { ...accept, PUENTE_AUTH_JWT_APPLICATIONS_ONLY: 'true', PUENTE_AUTH_JWT_CLIENTS: '[platform]' },
});
afterAll(async () => {
  await Promise.all([bySecret.stop(), byKey.stop(), withoutUsers.stop()]);
  await realm.remove();
  folder.remove();
});

/** Milliseconds until the token is refused, which it is as inactive. */
async function measureRefusal(token: string): Promise<number> {
  const since = performance.now();
  for (;;) {
    const { status, cause } = await ask(bySecret, token);
    if (status !== 200) {
      expect([status, cause]).toEqual([401, 'inactive']);
      return Math.round(performance.now() - since);
    }
    await sleep(50);
  }
}

describe('a token of Keycloak', () => {
  test('that has expired is refused as expired', async () => {
    const token = await realm.getToken('brief', 's');
    await sleep(2_100);
    expect(await ask(bySecret, token)).toMatchObject({ status: 401, cause: 'expired' });
  });

  test('that was revoked is refused within the seconds for which an answer is used', async () => {
    const token = await realm.getToken('platform', 's');
    expect(await ask(bySecret, token)).toMatchObject({ status: 200 });
    await realm.revoke(token, 'platform', 's');
    const ms = await measureRefusal(token);
    expect(ms).toBeLessThanOrEqual(CACHE_SECONDS * 1000 + 500);
    say(`revoked: refused after ${ms} ms, answers being used for ${CACHE_SECONDS} s`);
  });

  test('whose session has ended is refused too', async () => {
    const { token, logOut } = await realm.logIn('platform', 's', 'ana');
    expect(await ask(bySecret, token)).toMatchObject({ status: 200, client: 'platform' });
    await logOut();
    const ms = await measureRefusal(token);
    expect(ms).toBeLessThanOrEqual(CACHE_SECONDS * 1000 + 500);
    say(`logged out: refused after ${ms} ms`);
  });

  test('is asked about by a client that proves itself with a key', async () => {
    const token = await realm.getToken('platform', 's');
    expect(await ask(byKey, token)).toMatchObject({ status: 200 });
    await realm.revoke(token, 'platform', 's');
    expect(await ask(byKey, token)).toMatchObject({ status: 401, cause: 'inactive' });
  });

  test('is refused when it is of a person, or of another client, where that is set', async () => {
    expect(await ask(withoutUsers, await realm.getToken('platform', 's'))).toMatchObject({ status: 200 });
    const { token } = await realm.logIn('platform', 's', 'ana');
    expect(await ask(withoutUsers, token)).toMatchObject({ status: 401, cause: 'user_token' });
    const other = await realm.getToken('asking', 'of-the-gateway');
    expect(await ask(withoutUsers, other)).toMatchObject({ status: 401, cause: 'wrong_audience' });
    const unlisted = await realm.getToken('unlisted', 's');
    expect(await ask(withoutUsers, unlisted)).toMatchObject({ status: 401, cause: 'client_not_listed' });
  });
});
