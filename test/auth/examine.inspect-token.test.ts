import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createAuthenticator, requireScope } from '../../src/auth/bearer.ts';
import { type Inspection, inspectToken } from '../../src/auth/examine.ts';
import { Introspection } from '../../src/auth/introspection.ts';
import { createProvider, inSeconds, toIssuer } from '../support/provider.ts';

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

const mistakes: readonly [string, string, Wrong][] = [
  ['an issuer with a slash', 'wrong_issuer', { settings: { issuer: `${right.issuer}/` } }],
  ['another audience', 'wrong_audience', { settings: { audience: 'api' } }],
  ['no preset, and so another type', 'wrong_type', { settings: { preset: undefined } }],
  ['other algorithms', 'wrong_algorithm', { settings: { algorithms: ['ES256'] } }],
  ['keys of another realm', 'unknown_key', { keys: renamed }],
  ['keys with the same name of another', 'bad_signature', { keys: another.keys }],
  ['another claim for scopes', 'scope_missing', { settings: { scopeClaim: 'roles' } }],
  ['no prefix', 'scope_missing', { claims: { scope: 'api://puente/patients:read' } }],
  ['no map', 'scope_missing', { claims: { scope: 'Pacientes.Leer' } }],
  ['a lifetime that is shorter', 'too_old', { settings: { maxTokenAge: 30 } }],
  ['a claim that is not there', 'wrong_claim', { settings: { requiredClaims: { token_use: 'access' } } }],
  ['a shorter limit', 'too_long', { maxTokenLength: 256 }],
  ['no issuer', 'unknown_token', { noIssuer: true }],
  ['a clock that is late', 'not_yet_valid', { claims: { nbf: inSeconds(100) } }],
  ['a clock that is ahead', 'expired', { claims: { exp: inSeconds(-100) } }],
  ['a clock that is behind', 'issued_ahead', { claims: { iat: inSeconds(100) } }],
  ['tokens that never expire', 'no_expiry', { claims: { exp: undefined } }],
  ['tokens of persons', 'user_token', { settings: { applicationsOnly: true } }],
  ['other clients', 'client_not_listed', { settings: { clients: ['other'] } }],
  ['tokens that are bound to a key', 'bound_token', { claims: { cnf: { jkt: 'x' } } }],
];

const page = readFileSync('docs/how-to/identity.md', 'utf8');
const findFailed = ({ checks }: Inspection) => checks.filter(({ passes }) => !passes);

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
  test.each(mistakes)('%s is %s in the log, among the checks that fail, and on the page', async (_, reason, wrong) => {
    const prepared = await prepare(wrong);
    expect(await findReason(prepared)).toBe(reason);
    const inspection = await inspectToken(prepared.token, { ...prepared.auth, now: Date.now() });
    expect(findFailed(inspection)).toEqual([expect.objectContaining({ reason })]);
    expect(page).toMatch(new RegExp(`^\\| .*\`${reason}\`.* \\|$`, 'm'));
    const text = JSON.stringify(inspection);
    for (const secret of [...prepared.token.split('.'), 'ana', 'a-person', 'example.org'])
      expect(text).not.toContain(secret);
  });

  test('is shown beside what the token says', async () => {
    const { token, auth } = await prepare({ settings: { scopeClaim: 'roles' } });
    const { says, expected } = await inspectToken(token, { ...auth, now: Date.now() });
    expect(says).toMatchObject({ typ: 'JWT', alg: 'RS256', kid: 'k1', iss: right.issuer, aud: claims.aud });
    expect(says).toMatchObject({ exp: new Date(claims.exp * 1000).toISOString(), nbf: undefined, client: 'platform' });
    expect(says).toMatchObject({ scopes: [], scopesFound: { claim: 'scope', prefix: '' } });
    expect(expected).toMatchObject({ issuer: right.issuer, audience: 'puente', scopeClaim: 'roles' });
  });

  test('is none when everything is well', async () => {
    const prepared = await prepare({});
    expect(await findReason(prepared)).toBeUndefined();
    const inspection = await inspectToken(prepared.token, { ...prepared.auth, now: Date.now() });
    expect(findFailed(inspection)).toEqual([]);
    expect(inspection.says).toMatchObject({ client: 'platform', scopes: ['patients:read'] });
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
    const inspection = await inspect(token, { active: true, ...claims });
    expect(findFailed(inspection)).toEqual([]);
    expect(inspection.checks).toContainEqual({ reason: 'inactive', passes: true });
    expect(inspection.says).toMatchObject({ scopes: ['patients:read'] });
    expect(JSON.stringify(inspection)).not.toMatch(/ana|a-person/);
  });

  test.each([
    ['a JWT', jwt],
    ['an opaque one', 'opaque'],
  ])('is inactive when it was revoked, %s', async (_, token) => {
    expect(findFailed(await inspect(token, { active: false }))).toEqual([{ reason: 'inactive', passes: false }]);
  });

  test('is not known to be well when its issuer does not answer', async () => {
    expect(findFailed(await inspect('opaque', new Error('no', { cause: { code: 'HTTP_401' } })))).toEqual([
      { reason: 'auth_provider_unavailable', passes: false, cause: 'HTTP_401' },
    ]);
  });

  test('is looked at as a JWT is, when it is opaque', async () => {
    const inspection = await inspect('opaque', { active: true, ...claims, aud: 'other' });
    expect(findFailed(inspection)).toEqual([{ reason: 'wrong_audience', passes: false }]);
    expect(inspection.says).toMatchObject({ aud: 'other' });
  });

  test.each([{ token_type: 'Bearer' }, { token_use: 'access' }])(
    'shows its type as the issuer answers it, when it is opaque: %o',
    async (type) => {
      const { says } = await inspect('opaque', { active: true, ...claims, ...type });
      expect([says?.typ]).toEqual(Object.values(type));
    },
  );

  test('is not sent to its issuer when it is a JWT that cannot be read', async () => {
    const found = findFailed(await inspect('a.b.c', new Error('asked')));
    expect(found).toEqual([{ reason: 'malformed_token', passes: false }]);
  });
});

describe('an opaque token', () => {
  test('is found by its hash, and so is its end', async () => {
    const known = { client: 'app', sha256: hash('sha256', 'known'), scopes: ['slots:read'] as const };
    const old = { ...known, sha256: hash('sha256', 'old'), expires: '2020-01-01' };
    const auth = { tokens: [known, old], issuers: [], maxTokenLength: 100, now: Date.now() };
    const inspection = await inspectToken('known', auth);
    expect(findFailed(inspection)).toEqual([]);
    expect(inspection.says).toMatchObject({ client: 'app', scopes: ['slots:read'] });
    const find = async (token: string) => findFailed(await inspectToken(token, auth)).map(({ reason }) => reason);
    expect(await find('old')).toEqual(['expired']);
    expect(await find('unknown')).toEqual(['unknown_token']);
    expect(await find('')).toEqual(['no_token']);
  });
});
