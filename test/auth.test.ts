import { generateKeyPairSync, hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Rejection } from '../src/api/index.ts';
import { type AuthSettings, createAuthenticator } from '../src/auth/bearer.ts';
import { createJwtVerifier } from '../src/auth/jwt.ts';
import { type RunningGateway, startGateway } from './support/gateway.ts';
import { createProvider, inSeconds, toIssuer } from './support/provider.ts';
import { send } from './support/raw-request.ts';

const token = 'puente_0a1b2c3d_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG';

const settings: AuthSettings = {
  tokens: [
    { client: 'platform', sha256: hash('sha256', token), scopes: ['patients:read'] },
    { client: 'old', sha256: hash('sha256', 'expired-token'), scopes: ['patients:read'], expires: '2020-01-01' },
  ],
};

const getRejectionCode = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Rejection)) throw new Error('no rejection');
  return error.code;
};

describe('an opaque token', () => {
  const authenticate = createAuthenticator(settings);

  test('proves its client and scopes', async () => {
    await expect(authenticate(`Bearer ${token}`)).resolves.toEqual({
      name: 'platform',
      scopes: new Set(['patients:read']),
    });
  });

  test('is taken whatever the case of the scheme', async () => {
    await expect(authenticate(`bearer ${token}`)).resolves.toMatchObject({ name: 'platform' });
  });

  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['another scheme', `Basic ${token}`],
    ['no token', 'Bearer '],
    ['another token', `Bearer ${token}x`],
    ['the hash itself', `Bearer ${hash('sha256', token)}`],
    ['a token in another case', `Bearer ${token.toUpperCase()}`],
    ['two tokens', `Bearer ${token} ${token}`],
    ['an expired token', 'Bearer expired-token'],
    ['9 kB of token', `Bearer ${'a'.repeat(9_000)}`],
  ])('%s is refused', async (_, header) => {
    expect(await getRejectionCode(authenticate(header))).toBe('unauthenticated');
  });

  test('is looked at up to the length that is allowed, and no longer', async () => {
    const check = createAuthenticator({ ...settings, maxTokenLength: 300 });
    const reasonOf = (length: number) =>
      check(`Bearer ${'a'.repeat(length)}`).catch((error: Rejection) => error.reason);
    expect([await reasonOf(300), await reasonOf(301)]).toEqual(['unknown_token', 'too_long']);
  });

  test('that looks like a JWT is unknown, as any other, where no issuer is trusted', async () => {
    const reasonOf = (token: string) => authenticate(`Bearer ${token}`).catch((error: Rejection) => error.reason);
    expect([await reasonOf('a.b.c'), await reasonOf('abc')]).toEqual(['unknown_token', 'unknown_token']);
  });
});

const { keys, sign: signWith } = await createProvider('ES256');

const sign = (claims: Record<string, unknown>) => signWith({ typ: 'at+jwt' }, claims);

describe('a JWT', () => {
  const audience = 'puente';
  const issuer = 'https://issuer.example.org/';
  const jwt = toIssuer({ issuer, audience, algorithms: ['ES256'], clockTolerance: 5 }, keys);
  const now = inSeconds(0);
  const claims = {
    iss: issuer,
    aud: audience,
    sub: 'svc',
    client_id: 'platform',
    exp: now + 300,
    iat: now,
    scope: 'patients:read other',
  };
  const authenticate = createAuthenticator({ tokens: [], issuers: [jwt] });

  test('proves its client, whom it is about, and the scopes that the gateway knows', async () => {
    await expect(authenticate(`Bearer ${await sign(claims)}`)).resolves.toEqual({
      name: 'platform',
      scopes: new Set(['patients:read']),
      subject: { issuer: claims.iss, id: claims.sub },
    });
  });

  test.each<[string, (seconds: number) => Record<string, unknown>]>([
    ['that has expired', (seconds) => ({ exp: now - seconds })],
    ['that is not valid yet', (seconds) => ({ nbf: now + seconds })],
    ['that was issued later than now', (seconds) => ({ iat: now + seconds })],
    ['that is too old', (seconds) => ({ iat: now - 60 - seconds })],
  ])('%s is taken within the tolerance for clocks, and not beyond it', async (_, change) => {
    const check = createAuthenticator({ tokens: [], issuers: [{ ...jwt, maxTokenAge: 60 }], now: () => now * 1000 });
    const outcome = async (seconds: number) =>
      check(`Bearer ${await sign({ ...claims, ...change(seconds) })}`).then(
        () => 'taken',
        ({ code }: Rejection) => code,
      );
    expect([await outcome(4), await outcome(6)]).toEqual(['taken', 'unauthenticated']);
  });

  test.each([
    ['that it does not name', {}],
    ['of one name', { kid: 'k1' }],
  ])('is taken when any of several keys %s has signed it, and refused when none has', async (_, named) => {
    const providers = await Promise.all([1, 2, 3].map(() => createProvider('ES256')));
    const published = providers.flatMap((each) => each.keys.keys.map(({ kid: _, ...key }) => ({ ...key, ...named })));
    const check = createAuthenticator({ tokens: [], issuers: [{ ...jwt, keys: { keys: published.slice(0, 2) } }] });
    const outcomes = providers.map(async (provider) => {
      const signed = await provider.sign({ typ: 'at+jwt', kid: undefined, ...named }, claims);
      return check(`Bearer ${signed}`).then(
        ({ name }) => name,
        ({ reason }: Rejection) => reason,
      );
    });
    expect(await Promise.all(outcomes)).toEqual(['platform', 'platform', 'bad_signature']);
  });

  test.each([
    ['damaged', { kty: 'EC' as const, crv: 'P-256', x: '!', y: '!' }],
    ['short', { ...generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' }) }],
  ])('whose key is %s at the issuer is one of an unknown key', async (_, key) => {
    const algorithms = ['ES256', 'RS256'];
    const check = createAuthenticator({
      tokens: [],
      issuers: [{ ...jwt, algorithms, keys: { keys: [{ ...key, kid: 'k1' }] } }],
    });
    const { sign } = await createProvider(key.kty === 'EC' ? 'ES256' : 'RS256');
    const signed = await sign({ typ: 'at+jwt' }, claims);
    await expect(check(`Bearer ${signed}`)).rejects.toMatchObject({ code: 'unauthenticated', reason: 'unknown_key' });
  });

  test('is taken beside a damaged key of the same name', async () => {
    const damaged = { kty: 'EC' as const, crv: 'P-256', x: '!', y: '!', kid: 'k1' };
    const check = createAuthenticator({ tokens: [], issuers: [{ ...jwt, keys: { keys: [damaged, ...keys.keys] } }] });
    await expect(check(`Bearer ${await sign(claims)}`)).resolves.toMatchObject({ name: 'platform' });
  });

  test.each([
    { sub: { id: 'ana' } },
    { sub: ['ana'] },
    { sub: 7 },
    { sub: true },
    { sub: null },
    { iss: [claims.iss] },
    { jti: 7 },
  ])('with the claim %j instead of text is no token', async (claim) => {
    const header = `Bearer ${await sign({ ...claims, ...claim })}`;
    await expect(authenticate(header)).rejects.toMatchObject({ code: 'unauthenticated', reason: 'malformed_token' });
  });

  test.each(['none', 'HS256'])('with the algorithm %s is refused', async (alg) => {
    const head = Buffer.from(JSON.stringify({ alg, kid: 'k1', typ: 'at+jwt' })).toString('base64url');
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
    expect(await getRejectionCode(authenticate(`Bearer ${head}.${body}.c2ln`))).toBe('unauthenticated');
  });

  test('is verified again once it has expired', async () => {
    let clock = Date.now();
    const check = createAuthenticator({ tokens: [], issuers: [jwt], now: () => clock });
    const header = `Bearer ${await sign(claims)}`;
    await check(header);
    clock += 3_600_000;
    expect(await getRejectionCode(check(header))).toBe('unauthenticated');
  });

  test('is verified again when 10,000 others were verified after it', async () => {
    const provider = await createProvider('RS256');
    const verify = createJwtVerifier([{ ...jwt, algorithms: ['RS256'], keys: provider.keys }], Date.now);
    const first = await provider.sign({ typ: 'at+jwt' }, claims);
    const remembered = await verify(first, 'first');
    for (let i = 1; i < 10_000; i++) await verify(first, `${i}`);
    expect(await verify(first, 'first')).toBe(remembered);
    await verify(first, 'one more');
    expect(await verify(first, 'first')).not.toBe(remembered);
  });
});

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({
    environment: {
      PUENTE_AUTH_GROUP_A: 'none',
      PUENTE_AUTH_ALLOW_ANONYMOUS_GROUP_A: 'true',
      PUENTE_AUTH_OPEN_OPS: 'true',
    },
  });
});

afterAll(() => gateway.stop());

const get = (path: string) => send(gateway.url, 'GET', path);

describe('a gateway that has opened Group A and its capabilities', () => {
  test('answers both without a token, and Group B with one only', async () => {
    expect((await get('/patients/ana')).status).toBe(200);
    expect((await get('/capabilities')).status).toBe(200);
    expect((await get('/v1/appointments?patientId=ana')).status).toBe(401);
  });

  test('says so in the document that it serves', async () => {
    const { paths } = JSON.parse((await get('/openapi.json')).text);
    const security = ['/patients/{id}', '/capabilities', '/v1/appointments'].map((path) => paths[path].get.security);
    expect(security).toEqual([[], [], [{ bearerAuth: [] }]]);
  });
});
