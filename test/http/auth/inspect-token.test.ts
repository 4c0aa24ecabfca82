import { hash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createAuthenticator, requireScope } from '../../../src/http/auth/bearer.ts';
import { inspectToken } from '../../../src/http/auth/inspect-token.ts';
import { Introspection } from '../../../src/http/auth/introspection.ts';
import { createProvider, inSeconds, toIssuer } from '../../support/provider.ts';

const { keys, sign } = await createProvider();
const another = await createProvider();
const renamed = { keys: keys.keys.map((key) => ({ ...key, kid: 'k2' })) };

const right = { preset: 'keycloak', issuer: 'https://id.invalid/realms/hospital', audience: 'puente' };
const header = { typ: 'JWT' };
const claims = {
  iss: right.issuer,
  aud: ['puente', 'account'],
  sub: 'a-person',
  typ: 'Bearer',
  azp: 'platform',
  preferred_username: 'ana.ferreyra',
  email: 'ana@example.org',
  scope: 'email patients:read',
  iat: inSeconds(-100),
  exp: inSeconds(200),
};

interface Wrong {
  readonly settings?: object;
  readonly claims?: object;
  readonly keys?: typeof keys;
  readonly maxTokenLength?: number;
  readonly noIssuer?: boolean;
}

const mistakes: readonly [string, string, Wrong, RegExp][] = [
  [
    'an issuer with a slash',
    'wrong_issuer',
    { settings: { issuer: `${right.issuer}/` } },
    /set issuer to exactly that/,
  ],
  ['another audience', 'wrong_audience', { settings: { audience: 'api' } }, /set audience to what is there/],
  ['no preset, and so another type', 'wrong_type', { settings: { preset: undefined } }, /set preset to your provider/],
  ['other algorithms', 'wrong_algorithm', { settings: { algorithms: ['ES256'] } }, /add that to algorithms/],
  ['keys of another realm', 'unknown_key', { keys: renamed }, /jwksUri or jwksFile is of the provider, the realm/],
  [
    'keys with the same name of another',
    'bad_signature',
    { keys: another.keys },
    /jwksUri or jwksFile is of the provider/,
  ],
  ['another claim for scopes', 'scope_missing', { settings: { scopeClaim: 'roles' } }, /set scopeClaim to "scope"/],
  [
    'no prefix',
    'scope_missing',
    { claims: { scope: 'api://puente/patients:read' } },
    /scopePrefix to "api:\/\/puente\/"/,
  ],
  ['no map', 'scope_missing', { claims: { scope: 'Pacientes.Leer' } }, /scopeMap .*Pacientes\.Leer/],
  ['a lifetime that is shorter', 'too_old', { settings: { maxTokenAge: 30 } }, /raise maxTokenAge/],
  [
    'a claim that is not there',
    'wrong_claim',
    { settings: { requiredClaims: { token_use: 'access' } } },
    /an access token/,
  ],
  ['a shorter limit', 'too_long', { maxTokenLength: 256 }, /raise auth\.maxTokenLength/],
  ['no issuer', 'unknown_token', { noIssuer: true }, /set auth\.jwt/],
  ['a clock that is late', 'not_yet_valid', { claims: { nbf: inSeconds(100) } }, /compare the clocks/],
  ['a clock that is ahead', 'expired', { claims: { exp: inSeconds(-100) } }, /compare the clocks/],
  ['tokens that never expire', 'no_expiry', { claims: { exp: undefined } }, /tokens that expire/],
  ['tokens of persons', 'user_token', { settings: { applicationsOnly: true } }, /let the platform log in for itself/],
  ['other clients', 'client_not_listed', { settings: { clients: ['other'] } }, /add the client to clients/],
  ['tokens that are bound to a key', 'bound_token', { claims: { cnf: { jkt: 'x' } } }, /bearer tokens/],
];

async function prepare({ settings = {}, claims: changed = {}, keys: published = keys, ...more }: Wrong) {
  const token = await sign(header, { ...claims, ...changed });
  const issuers = more.noIssuer ? [] : [toIssuer({ ...right, ...settings }, published)];
  return { token, auth: { tokens: [], issuers, maxTokenLength: more.maxTokenLength ?? 16_384 } };
}

async function findReason({ token, auth }: Awaited<ReturnType<typeof prepare>>): Promise<unknown> {
  try {
    requireScope('patients:read', await createAuthenticator(auth)(`Bearer ${token}`));
    return undefined;
  } catch (error) {
    return Object(error).reason;
  }
}

describe('a wrong configuration', () => {
  test.each(mistakes)('%s is %s in the log, and its fix is told', async (_, reason, wrong, fix) => {
    const prepared = await prepare(wrong);
    expect(await findReason(prepared)).toBe(reason);
    const findings = await inspectToken(prepared.token, { ...prepared.auth, now: Date.now() });
    const found = findings.find(({ what }) => what.startsWith(`${reason}:`));
    expect(found?.fix).toMatch(fix);
    const text = JSON.stringify(findings);
    for (const secret of [...prepared.token.split('.'), 'ana', 'a-person', 'example.org'])
      expect(text).not.toContain(secret);
  });

  test('is none when everything is well', async () => {
    const prepared = await prepare({});
    expect(await findReason(prepared)).toBeUndefined();
    const findings = await inspectToken(prepared.token, { ...prepared.auth, now: Date.now() });
    expect(findings.filter(({ fix }) => fix !== undefined)).toEqual([]);
    expect(findings.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['its client is platform', 'its scopes are patients:read']),
    );
  });
});

const jwt = await sign(header, claims);

describe('a token that its issuer is asked about', () => {
  const inspect = async (token: string, answer: object | Error, changed: object = {}) => {
    const introspection = new Introspection({
      ...{ issuer: right.issuer, tokens: 'all', cacheSeconds: 1, endpoint: new URL('https://id.invalid/introspect') },
      prove: async () => ({ form: {} }),
      ask: async () => {
        if (answer instanceof Error) throw answer;
        return { body: { ...answer }, headers: {}, sentAt: 0, receivedAt: 0 };
      },
    });
    const issuers = [toIssuer({ ...right, ...changed }, keys, introspection)];
    return inspectToken(token, { tokens: [], issuers, maxTokenLength: 16_384, now: Date.now() });
  };
  test.each([
    ['a JWT', jwt],
    ['an opaque one', 'opaque'],
  ])('is well when it is active, %s', async (_, token) => {
    const findings = await inspect(token, { active: true, ...claims });
    expect(findings.filter(({ fix }) => fix !== undefined)).toEqual([]);
    expect(findings).toContainEqual({ what: 'id.invalid says that it is active' });
    expect(findings).toContainEqual({ what: 'its scopes are patients:read' });
    expect(JSON.stringify(findings)).not.toMatch(/ana|a-person/);
  });

  test.each([
    ['a JWT', jwt],
    ['an opaque one', 'opaque'],
  ])('is inactive when it was revoked, %s', async (_, token) => {
    const found = (await inspect(token, { active: false })).find(({ fix }) => fix !== undefined);
    expect(found?.what).toMatch(/^inactive: id\.invalid says/);
    expect(found?.fix).toMatch(/get a new one/);
  });

  test('is not known to be well when its issuer does not answer', async () => {
    const found = (await inspect('opaque', new Error('no', { cause: { code: 'HTTP_401' } }))).at(-1);
    expect(found?.what).toMatch(/^auth_provider_unavailable: id\.invalid does not say .* \(HTTP_401\)$/);
  });

  test('is looked at as a JWT is, when it is opaque', async () => {
    const found = (await inspect('opaque', { active: true, ...claims, aud: 'other' })).find(({ fix }) => fix);
    expect(found?.what).toMatch(/^wrong_audience: it is for \["other"\]/);
  });
});

describe('an opaque token', () => {
  test('is found by its hash, and so is its end', async () => {
    const known = { client: 'app', sha256: hash('sha256', 'known'), scopes: ['slots:read'] as const };
    const old = { ...known, sha256: hash('sha256', 'old'), expires: '2020-01-01' };
    const auth = { tokens: [known, old], issuers: [], maxTokenLength: 100, now: Date.now() };
    const last = async (token: string) => (await inspectToken(token, auth)).at(-1);
    expect(await last('known')).toEqual({ what: 'it is the token of app, with slots:read' });
    expect(await last('old')).toMatchObject({ what: expect.stringMatching(/^expired:/) });
    expect((await last('unknown'))?.fix).toContain('auth.tokens');
  });
});
