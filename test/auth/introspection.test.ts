import { hash } from 'node:crypto';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Rejection } from '../../src/api/index.ts';
import { createAuthenticator } from '../../src/auth/bearer.ts';
import { examineIssuer, listImpairments, lookAtIssuer } from '../../src/auth/examine.ts';
import { Introspection, type IntrospectionSettings } from '../../src/auth/introspection.ts';
import type { AskProvider, ProviderRequest } from '../../src/auth/remote-keys.ts';
import { createSecretProof } from '../../src/http-client/oauth.ts';
import { createProvider, inSeconds, toIssuer } from '../support/provider.ts';

const { keys, sign } = await createProvider();
const issuer = 'https://id.example.org/realms/hospital';
const endpoint = new URL('https://id.example.org/introspect');
const claims = {
  iss: issuer,
  aud: ['puente', 'account'],
  typ: 'Bearer',
  client_id: 'platform',
  sub: 'platform',
  username: 'service-account-platform',
  scope: 'email patients:read',
  iat: inSeconds(-100),
  exp: inSeconds(200),
};

/** What the provider was asked, and how it answers. */
let asked: ProviderRequest[];
let respond: (request: ProviderRequest) => object | Promise<object>;
let clock: number;
beforeEach(() => {
  asked = [];
  respond = () => ({ ...claims, active: true });
  clock = 0;
  jest.restoreAllMocks();
  const { now } = performance;
  jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + clock);
});

const ask: AskProvider = async (request) => {
  asked.push(request);
  const body = JSON.parse(JSON.stringify(await respond(request)));
  return { body, headers: {}, sentAt: 0, receivedAt: 0 };
};
const refuse = (code: string) => () => Promise.reject(new Error('no', { cause: { code } }));
const createIntrospection = (more: Partial<IntrospectionSettings> = {}) =>
  new Introspection({
    ...{ issuer, endpoint, tokens: 'all', cacheSeconds: 10, ask, prove: createSecretProof('gateway', 's', 'basic') },
    ...more,
  });
const prepare = (more: Partial<IntrospectionSettings> = {}, settings: object = {}) => {
  const given = { preset: 'keycloak', issuer, audience: 'puente', ...settings };
  return toIssuer(given, keys, createIntrospection(more));
};

/** What becomes of a token: its client, or why it was refused. */
function start(...given: Parameters<typeof prepare>) {
  const authenticate = createAuthenticator({ tokens: [], issuers: [prepare(...given)] });
  return async (token: string) => {
    return authenticate(`Bearer ${token}`).then(
      ({ name }) => name,
      ({ reason, code }: Rejection) => reason ?? code,
    );
  };
}
const signed = (change: object = {}) => sign({ typ: 'JWT' }, { ...claims, ...change });

describe('an opaque token', () => {
  test('is what its issuer says of it', async () => {
    const client = await createAuthenticator({ tokens: [], issuers: [prepare()] })('Bearer opaque');
    expect(client).toEqual({ name: 'platform', scopes: new Set(['patients:read']) });
    expect(asked[0]?.url).toBe(endpoint);
    expect(asked[0]?.form).toEqual({ token: 'opaque', token_type_hint: 'access_token' });
    expect(asked[0]?.headers?.Authorization).toMatch(/^Basic /);
  });

  test('is asked about with the client’s id and secret in the form, where the issuer wants them there', async () => {
    const authenticate = createAuthenticator({
      tokens: [],
      issuers: [prepare({ prove: createSecretProof('gateway', 's', 'post') })],
    });
    await authenticate('Bearer opaque');
    const proof = { client_id: 'gateway', client_secret: 's' };
    expect(asked[0]?.form).toEqual({ token: 'opaque', token_type_hint: 'access_token', ...proof });
    expect(asked[0]?.headers).toEqual({});
  });

  test.each([
    ['wrong_issuer', { iss: 'https://other.example.org' }],
    ['wrong_audience', { aud: undefined }],
    ['wrong_type', { token_type: 'DPoP' }],
    ['wrong_type', { token_use: 'refresh_token' }],
    ['user_token', { username: 'ana' }],
    ['user_token', { username: 'service-account-mallory' }],
    ['client_not_listed', { client_id: 'other', username: 'service-account-other' }],
  ])('is refused as a JWT would be: %s because of %j', async (reason, change) => {
    respond = () => ({ ...claims, ...change, active: true });
    expect(await start({}, { applicationsOnly: true, clients: ['platform'] })('opaque')).toBe(reason);
  });

  test('of an issuer that leaves its own name out is accepted', async () => {
    respond = () => ({ ...claims, iss: undefined, active: true, token_type: 'Bearer' });
    expect(await start()('opaque')).toBe('platform');
  });

  test('that expires while its answer is kept is refused from then on', async () => {
    let now = Date.now();
    const authenticate = createAuthenticator({ tokens: [], issuers: [prepare({ cacheSeconds: 300 })], now: () => now });
    await authenticate('Bearer opaque');
    now += 250_000;
    await expect(authenticate('Bearer opaque')).rejects.toMatchObject({ reason: 'expired' });
    expect(asked).toHaveLength(1);
  });

  test('is not sent to an issuer that is asked about JWTs alone', async () => {
    expect(await start({ tokens: 'jwt' })('opaque')).toBe('unknown_token');
    expect(asked).toEqual([]);
  });
});

describe('a JWT', () => {
  test('that was revoked is refused when the answer before is too old', async () => {
    const check = start();
    const token = await signed();
    expect(await check(token)).toBe('platform');
    respond = () => ({ active: false });
    clock += 9_000;
    expect(await check(token)).toBe('platform');
    clock += 2_000;
    expect(await check(token)).toBe('inactive');
  });

  test('is not sent to its issuer before everything else is well, so that strangers cause no question', async () => {
    const check = start();
    const stranger = await createProvider();
    const forged = await stranger.sign({ typ: 'JWT' }, claims);
    const refusals = [forged, await signed({ aud: 'other' }), await signed({ exp: inSeconds(-100) })].map(check);
    expect(await Promise.all(refusals)).toEqual(['bad_signature', 'wrong_audience', 'expired']);
    expect(asked).toEqual([]);
  });

  test('is what its own claims say, not those of the answer', async () => {
    respond = () => ({ active: true, client_id: 'another', scope: 'all' });
    expect(await start()(await signed())).toBe('platform');
  });

  test('is not sent to an issuer that is asked about opaque tokens alone', async () => {
    expect(await start({ tokens: 'opaque' })(await signed())).toBe('platform');
    expect(asked).toEqual([]);
  });
});

describe('the issuer', () => {
  test('is asked about a token once in so many seconds, and once for all who ask at the same time', async () => {
    const check = start();
    await Promise.all(Array.from({ length: 50 }, () => check('opaque')));
    expect(asked).toHaveLength(1);
    clock += 9_000;
    await check('opaque');
    expect(asked).toHaveLength(1);
    clock += 2_000;
    await check('opaque');
    expect(asked).toHaveLength(2);
  });

  test('is asked about a token that is not active no more often either', async () => {
    respond = () => ({ active: false });
    const check = start();
    for (let i = 0; i < 20; i++) expect(await check('opaque')).toBe('inactive');
    expect(asked).toHaveLength(1);
  });

  test('is asked again about the token whose answer is the oldest of more than 10,000', async () => {
    const introspection = createIntrospection({ cacheSeconds: 3_600 });
    for (let i = 0; i < 10_000; i++) await introspection.introspect('token', `${i}`);
    await introspection.introspect('token', '0');
    expect(asked).toHaveLength(10_000);
    await introspection.introspect('token', 'one more');
    await introspection.introspect('token', '1');
    expect(asked).toHaveLength(10_001);
    await introspection.introspect('token', '0');
    expect(asked).toHaveLength(10_002);
  });

  test('is asked about JWTs, and tokens that were active before, while questions about 32 others are open', async () => {
    const authenticate = createAuthenticator({ tokens: [], issuers: [prepare({ cacheSeconds: 0 })] });
    const source = { findAddress: () => 'x', requireAttempt: async () => {}, countFailure: async () => {} };
    const check = async (token: string) => (await authenticate(`Bearer ${token}`, source)).name;
    await check('known');
    const open = Promise.withResolvers<void>();
    respond = async ({ form }) => {
      if (form?.token?.startsWith('strange')) await open.promise;
      return { ...claims, active: true };
    };
    const others = Array.from({ length: 40 }, (_, i) => check(`strange-${i}`));
    await new Promise(setImmediate);
    expect(asked).toHaveLength(1 + 32);
    expect([await check(await signed()), await check('known')]).toEqual(['platform', 'platform']);
    open.resolve();
    await Promise.all(others);
  });

  test('that is down makes tokens 503, not 401, and is asked less and less', async () => {
    const check = start();
    expect(await check('opaque')).toBe('platform');
    respond = refuse('ECONNREFUSED');
    clock += 11_000;
    const before = asked.length;
    for (let i = 0; i < 100; i++) {
      expect(await check(`opaque-${i}`)).toBe('auth_provider_unavailable');
      clock += 100;
    }
    expect(asked.length - before).toBeLessThanOrEqual(7);
    respond = () => ({ ...claims, active: true });
    clock += 10_000;
    expect(await check('opaque')).toBe('platform');
  });

  test('of which many questions fail at the same time is left alone no longer for it', async () => {
    const check = start();
    respond = refuse('ETIMEDOUT');
    await Promise.all(Array.from({ length: 32 }, (_, i) => check(`opaque-${i}`)));
    respond = () => ({ ...claims, active: true });
    clock += 600;
    expect(await check('opaque')).toBe('platform');
  });

  test.each([{}, { active: 'true' }, { error: 'x' }])('that answers %j has not answered', async (body) => {
    respond = () => body;
    expect(await start()('opaque')).toBe('auth_provider_unavailable');
  });

  test('says in its discovery document where it is asked, unless the configuration does', async () => {
    const document = { issuer, introspection_endpoint: 'https://id.example.org/elsewhere' };
    respond = ({ url }) => (url.pathname.includes('.well-known') ? document : { ...claims, active: true });
    const check = start({ endpoint: undefined });
    for (let i = 0; i < 3; i++) await check(`opaque-${i}`);
    expect(asked.map(({ url }) => url.pathname)).toEqual([
      '/realms/hospital/.well-known/openid-configuration',
      ...Array(3).fill('/elsewhere'),
    ]);
  });

  test('gets the token, and remembers it by its hash alone', async () => {
    const introspection = createIntrospection();
    await introspection.introspect('the-token', hash('sha256', 'the-token'));
    expect(inspect(introspection, { depth: 20, showHidden: true })).not.toContain('the-token');
  });
});

describe('a look at the introspection', () => {
  const look = async () => {
    const settings = prepare();
    await lookAtIssuer(settings);
    await lookAtIssuer(settings);
    return { finding: examineIssuer(settings).at(-1), impairments: listImpairments(settings) };
  };

  test('asks about an invented token, once in a moment', async () => {
    respond = () => ({ active: false });
    const { finding, impairments } = await look();
    expect(finding).toEqual({
      check: 'introspection',
      ok: true,
      detail: 'id.example.org reports active tokens',
    });
    expect([asked.length, impairments]).toEqual([1, []]);
  });

  test.each([
    ['HTTP_401', /check clientId and the secret or key of introspection/],
    ['ECONNREFUSED', /start the provider/],
    ['no_introspection_endpoint', /set introspection\.endpoint/],
  ])('that fails with %s says what to do', async (code, fix) => {
    respond = refuse(code);
    const { finding, impairments } = await look();
    expect(finding).toMatchObject({ ok: false, fix: expect.stringMatching(fix) });
    expect(impairments).toMatchObject([{ code: 'introspection_unavailable', cause: code }]);
  });
});
