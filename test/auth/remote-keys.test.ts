import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { JSONWebKeySet } from 'jose';
import { Rejection } from '../../src/api/index.ts';
import { createAuthenticator } from '../../src/auth/bearer.ts';
import { listImpairments } from '../../src/auth/examine.ts';
import type { AskProvider, ProviderAnswer } from '../../src/auth/remote-keys.ts';
import { RemoteKeys } from '../../src/auth/remote-keys.ts';
import { serve } from '../support/listen.ts';
import { createProvider, inSeconds, toIssuer } from '../support/provider.ts';

const signers = { first: await createProvider('ES256'), second: await createProvider('ES256') };
type Kid = keyof typeof signers;
const publish = (...kids: Kid[]): JSONWebKeySet => ({
  keys: kids.flatMap((kid) => signers[kid].keys.keys.map((key) => ({ ...key, kid }))),
});

const issuer = 'https://id.example.org';
const given = { issuer, audience: 'puente', algorithms: ['ES256'] };
let serial = 0;
interface Changes {
  readonly kid?: string | undefined;
  readonly claims?: Record<string, unknown>;
}
/** A token that nobody has seen. */
const sign = (kid: Kid, { claims = {}, ...name }: Changes = {}) => {
  const usual = { iss: issuer, aud: 'puente', exp: inSeconds(2 * 86_400) };
  const payload = { ...usual, client_id: 'platform', scope: 'patients:read', jti: String(serial++), ...claims };
  return signers[kid].sign({ kid, typ: 'at+jwt', ...name }, payload);
};

const refuse = () => Promise.reject(new Error('unreachable', { cause: { code: 'ECONNREFUSED' } }));

/** What it answers with, whatever else a real answer has. */
const answer = (body: ProviderAnswer['body']): ProviderAnswer => ({ body, headers: {}, sentAt: 0, receivedAt: 0 });

let provider: () => Promise<ProviderAnswer>;
let fetches: number;
let keys: RemoteKeys;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  fetches = 0;
  provider = async () => answer({ ...publish('first') });
  keys = new RemoteKeys(new URL(`${issuer}/keys`), () => {
    fetches += 1;
    return provider();
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

/** What becomes of a new token: its client, or the code of its rejection. */
async function check(kid: Kid, changes?: Changes): Promise<string> {
  const jwt = toIssuer(given, keys);
  try {
    return (await createAuthenticator({ tokens: [], issuers: [jwt] })(`Bearer ${await sign(kid, changes)}`)).name;
  } catch (error) {
    if (error instanceof Rejection) return error.code;
    throw error;
  }
}

const UNAVAILABLE = 'auth_provider_unavailable';

/** Lets time pass in steps until the promise is settled: a signature is checked in real time, and only then is a timer set. */
async function passTime<T>(promise: Promise<T>, step: number): Promise<T> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  for (let steps = 0; !settled && steps < 5; steps++) {
    await sleep(20);
    await jest.advanceTimersByTimeAsync(step);
  }
  return promise;
}

describe('the keys of an issuer', () => {
  test('that is down are used beyond their time, for six hours, and asked for no more often', async () => {
    expect(await check('first')).toBe('platform');
    provider = refuse;
    jest.advanceTimersByTime(600_000);
    for (let i = 0; i < 20; i++) expect(await check('first')).toBe('platform');
    expect(fetches).toBe(3);
    expect(listImpairments(toIssuer(given, keys))).toMatchObject([{ code: 'jwks_stale' }]);
    jest.advanceTimersByTime(6 * 3_600_000);
    expect(await check('first')).toBe(UNAVAILABLE);
  });

  test('that is down for more than six hours accept no token any more, not even one that was accepted before', async () => {
    const authenticate = createAuthenticator({ tokens: [], issuers: [toIssuer(given, keys)] });
    const authorization = `Bearer ${await sign('first')}`;
    expect(await authenticate(authorization)).toMatchObject({ name: 'platform' });
    provider = refuse;
    jest.advanceTimersByTime(6 * 3_600_000);
    expect(await authenticate(authorization)).toMatchObject({ name: 'platform' });
    jest.advanceTimersByTime(600_000);
    await expect(authenticate(authorization)).rejects.toMatchObject({ code: UNAVAILABLE });
    provider = async () => answer({ ...publish('first') });
    jest.advanceTimersByTime(10_000);
    expect(await authenticate(authorization)).toMatchObject({ name: 'platform' });
  });

  test('are those of the set that are keys, whatever else is in it; a set of none is no answer', async () => {
    provider = async () => answer({ keys: [{ kid: 'damaged' }, null, ...publish('first').keys] });
    expect(await check('first')).toBe('platform');
    provider = async () => answer({ keys: [{ kid: 'damaged' }, null] });
    keys = new RemoteKeys(new URL(`${issuer}/keys`), () => provider());
    expect(await check('first')).toBe(UNAVAILABLE);
  });

  test('are asked for anew when it recovers', async () => {
    expect(await check('first')).toBe('platform');
    provider = refuse;
    jest.advanceTimersByTime(600_000);
    await check('first');
    provider = async () => answer({ ...publish('second') });
    expect(await check('second')).toBe('platform');
    expect(listImpairments(toIssuer(given, keys))).toEqual([]);
    expect(await passTime(check('first'), 5_000)).toBe('unauthenticated');
  });

  test('are asked for anew at once for a key that is not among them, if they are older than five seconds', async () => {
    await check('first');
    provider = async () => answer({ ...publish('first', 'second') });
    jest.advanceTimersByTime(5_000);
    expect(await check('second')).toBe('platform');
    expect(fetches).toBe(2);
  });

  test('are asked for anew once in five seconds, however many keys a stranger names, and no right token is refused', async () => {
    await check('first');
    provider = async () => answer({ ...publish('first', 'second') });
    const stranger = ['x', 'y', 'z'].map((kid) => check('first', { kid }));
    const right = check('second');
    expect(await passTime(right, 5_000)).toBe('platform');
    expect(await Promise.all(stranger)).toEqual(Array(3).fill('unauthenticated'));
    expect(fetches).toBe(2);
  });

  test('without names are asked for anew for a signature of none of them, once in five seconds', async () => {
    const publishUnnamed = async (kid: Kid) => answer({ keys: publish(kid).keys.map(({ kid: _, ...key }) => key) });
    const unnamed = { kid: undefined };
    provider = () => publishUnnamed('first');
    expect(await check('first', unnamed)).toBe('platform');
    provider = () => publishUnnamed('second');
    expect(await check('second', unnamed)).toBe('unauthenticated');
    expect(fetches).toBe(1);
    jest.advanceTimersByTime(5_000);
    expect(await Promise.all([check('second', unnamed), check('second', unnamed)])).toEqual(['platform', 'platform']);
    expect(await check('first', unnamed)).toBe('unauthenticated');
    expect(fetches).toBe(2);
  });

  test.each([
    ['of another issuer', { iss: 'https://other.example.org' }],
    ['for another audience', { aud: 'other' }],
    ['that has expired', { exp: 1 }],
  ])('are not asked for because of a token %s', async (_, claims) => {
    expect(await check('first', { kid: 'x', claims })).toBe('unauthenticated');
    expect(fetches).toBe(0);
  });

  test('let a token that was seen be verified again when they change', async () => {
    const jwt = toIssuer(given, keys);
    const authenticate = createAuthenticator({ tokens: [], issuers: [jwt] });
    const seen = `Bearer ${await sign('first')}`;
    await authenticate(seen);
    provider = async () => answer({ ...publish('second') });
    jest.advanceTimersByTime(600_000);
    await authenticate(seen);
    for (let i = 0; i < 50; i++) await new Promise(setImmediate);
    await expect(passTime(authenticate(seen), 5_000)).rejects.toMatchObject({ reason: 'unknown_key' });
  });

  test('are those that the discovery document of the issuer names', async () => {
    const asked: string[] = [];
    const ask: AskProvider = async ({ url }) => {
      asked.push(String(url));
      const document = { issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` };
      return answer(String(url).endsWith('/keys') ? { ...publish('first') } : document);
    };
    keys = new RemoteKeys({ issuer: `${issuer}/` }, ask);
    expect(await check('first', { claims: { iss: issuer } })).toBe('platform');
    expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`, `${issuer}/keys`]);
  });

  test.each([
    ['of another issuer', { issuer: 'https://other.example.org', jwks_uri: `${issuer}/keys` }],
    ['that names no keys', { issuer }],
    ['whose keys come without TLS', { issuer, jwks_uri: 'http://id.example.org/keys' }],
  ])('are not taken from a discovery document %s', async (_, document) => {
    const fetched = jest.fn<AskProvider>(async () => answer(document));
    keys = new RemoteKeys({ issuer }, fetched);
    expect(await check('first')).toBe(UNAVAILABLE);
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  test('of which one is not known while it is down, say that the token may be valid', async () => {
    await check('first');
    provider = refuse;
    jest.advanceTimersByTime(30_000);
    for (let i = 0; i < 10; i++) expect(await check('second')).toBe(UNAVAILABLE);
    expect(fetches).toBe(3);
    expect(await check('first')).toBe('platform');
  });

  test.each([
    ['an error', 500, '{}'],
    ['a page', 200, '<html>'],
    ['no key set', 200, '{"keys":"none"}'],
    ['a redirect', 302, '{}'],
  ])('are not there when it answers %s', async (_, status, body) => {
    const url = await serve((_req, res) => res.writeHead(status, { location: '/' }).end(body));
    keys = new RemoteKeys(new URL(`${url}/keys`));
    expect(await check('first')).toBe(UNAVAILABLE);
  });
});
