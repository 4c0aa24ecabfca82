import { describe, expect, test } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { Rejection } from '../../src/api/index.ts';
import { createAuthenticator } from '../../src/auth/bearer.ts';
import { isApplicationToken, type ProviderKind, toClient } from '../../src/auth/client.ts';
import { createProvider, inSeconds, toIssuer } from '../support/provider.ts';

const rules = { scopeClaim: 'scope' };

const nameOf = (claims: JWTPayload): string => toClient(claims, rules).name;

const scopesOf = (claims: JWTPayload, given: object = {}): string[] => [
  ...toClient(claims, { ...rules, ...given }).scopes,
];

describe('the name of a client', () => {
  test.each(['client_id', 'azp', 'appid', 'cid'])('is the claim %s', (claim) => {
    expect(nameOf({ sub: 'ana', [claim]: 'platform' })).toBe('platform');
  });

  test.each<[string, JWTPayload]>([
    ['sub', { sub: 'ana' }],
    ['an address', { azp: 'ana@example.org' }],
    ['a full name', { client_id: 'Ana Ferreyra' }],
    ['a login', { client_id: 'ana', preferred_username: 'ana' }],
    ['a user name of Cognito', { client_id: 'ana', 'cognito:username': 'ana' }],
    ['a login that nothing else tells, beside the application', { client_id: 'ana', azp: 'platform' }],
    ['no text', { azp: { name: 'ana' } }],
    ['very long', { azp: 'a'.repeat(200) }],
  ])('is never that of a person: %s', (_, claims) => {
    expect(nameOf({ iss: 'i', ...claims })).toBe('unnamed');
  });

  test.each([
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'username',
    'cognito:username',
    'login',
    'email',
    'upn',
    'unique_name',
    'phone_number',
  ])('is never what %s says too', (claim) => {
    expect(nameOf({ client_id: 'ana', [claim]: 'ana' })).toBe('unnamed');
    expect(nameOf({ client_id: 'platform', [claim]: 'ana' })).toBe('platform');
  });

  test('is passed over where it is that of a person, for a claim that has an application', () => {
    expect(nameOf({ client_id: 'ana', email: 'ana', azp: 'platform' })).toBe('platform');
  });

  test('is told from others without a name by what says nothing about the person', () => {
    const [ana, bruno] = ['ana', 'bruno'].map((sub) => toClient({ iss: 'i', sub }, rules).key);
    expect(ana).not.toBe(bruno);
    expect(ana).toMatch(/^unnamed [0-9a-f]{64}$/);
  });
});

describe('the scopes of a client', () => {
  test.each<[string, JWTPayload, object, string[]]>([
    ['of a text', { scope: 'slots:read  openid patients:read' }, {}, ['patients:read', 'slots:read']],
    ['of a list', { scope: ['slots:read', 7, null] }, {}, ['slots:read']],
    [
      'of several claims',
      { scp: 'slots:read', roles: ['patients:read'] },
      { scopeClaim: ['scp', 'roles'] },
      ['patients:read', 'slots:read'],
    ],
    [
      'of a claim in a claim',
      { realm_access: { roles: ['slots:read'] } },
      { scopeClaim: 'realm_access.roles' },
      ['slots:read'],
    ],
    [
      'of a claim whose name has dots',
      { 'https://a.b/c': ['slots:read'] },
      { scopeClaim: 'https://a.b/c' },
      ['slots:read'],
    ],
    ['behind a prefix', { scope: 'api://puente/slots:read' }, { scopePrefix: ['api://puente/'] }, ['slots:read']],
    [
      'in other words',
      { scope: 'Turnos' },
      { scopeMap: { Turnos: ['slots:read', 'appointments:read'] } },
      ['appointments:read', 'slots:read'],
    ],
    [
      'in other words behind a prefix',
      { scope: 'p/Turnos' },
      { scopePrefix: ['p/'], scopeMap: { Turnos: ['slots:read'] } },
      ['slots:read'],
    ],
    ['of nothing', { scope: { a: 'slots:read' } }, {}, []],
    ['of a claim of the prototype', {}, { scopeClaim: 'constructor.name' }, []],
  ])('are those %s', (_, claims, given, scopes) => {
    expect(scopesOf(claims, given).toSorted()).toEqual(scopes);
  });
});

const tokens: readonly [string, ProviderKind, object, boolean][] = [
  ['whose subject is its client', 'rfc9068', { client_id: 'a', sub: 'a' }, true],
  ['whose subject is somebody else', 'rfc9068', { client_id: 'a', sub: 'b' }, false],
  ['without a subject and a client', 'rfc9068', {}, false],
  ['of a person whose login is the name of a client', 'rfc9068', { client_id: 'a', sub: 'a', auth_time: 1 }, false],
  ['of a person of the name of a client', 'rfc9068', { client_id: 'a', sub: 'a', email: 'ana@example.org' }, false],
  ['in a session', 'rfc9068', { client_id: 'a', sub: 'a', sid: 's' }, false],
  ['of a service account without a login', 'keycloak', { azp: 'a', client_id: 'a' }, true],
  ['of a session without a login', 'keycloak', { azp: 'a', client_id: 'a', sid: 's' }, false],
  ['without a login and a client of its own', 'keycloak', { azp: 'a' }, false],
  [
    'of a service account, whose login is in small letters',
    'keycloak',
    { azp: 'App', client_id: 'App', preferred_username: 'service-account-app' },
    true,
  ],
  [
    'of a service account of another client',
    'keycloak',
    { azp: 'a', client_id: 'b', preferred_username: 'service-account-b' },
    false,
  ],
  ['of who registered so', 'keycloak', { azp: 'a', sid: 's', preferred_username: 'service-account-mallory' }, false],
  ['of who registered as that', 'keycloak', { azp: 'a', sid: 's', preferred_username: 'service-account-a' }, false],
  ['of the same without a session', 'keycloak', { azp: 'a', preferred_username: 'service-account-a' }, false],
  ['introspected of a person', 'keycloak', { client_id: 'a', username: 'ana' }, false],
  ['introspected of a service account', 'keycloak', { client_id: 'a', username: 'service-account-a' }, true],
  ['introspected of who registered so', 'keycloak', { client_id: 'a', username: 'service-account-mallory' }, false],
  [
    'introspected of who registered as that',
    'keycloak',
    { client_id: 'a', azp: 'a', sid: 's', username: 'service-account-a', preferred_username: 'service-account-a' },
    false,
  ],
  ['that says so', 'entra', { idtyp: 'app', oid: 'o', sub: 's' }, true],
  ['that says so, with delegated scopes', 'entra', { idtyp: 'app', oid: 'o', sub: 'o', scp: 's' }, false],
  ['that says that it is of a person', 'entra', { idtyp: 'user', oid: 'o', sub: 'o' }, false],
  ['with roles of a person', 'entra', { oid: 'o', sub: 's', roles: ['r'] }, false],
  ['with delegated scopes', 'entra', { oid: 'o', sub: 'o', scp: 's' }, false],
  ['of client credentials', 'auth0', { azp: 'a', sub: 'a@clients', gty: 'client-credentials' }, true],
  ['of client credentials for somebody else', 'auth0', { azp: 'a', sub: 'auth0|x', gty: 'client-credentials' }, false],
  ['of a password', 'auth0', { azp: 'a', sub: 'a@clients', gty: 'password' }, false],
  ['in the form of RFC 9068', 'auth0', { client_id: 'a', sub: 'a@clients' }, true],
  ['of a login that looks alike', 'auth0', { client_id: 'a', sub: 'auth0|b@clients' }, false],
  ['of its client', 'okta', { cid: 'a', sub: 'a' }, true],
  ['with a user', 'okta', { cid: 'a', sub: 'a', uid: 'u' }, false],
  ['without a user', 'cognito', { client_id: 'a', sub: 'a' }, true],
  ['with a user name', 'cognito', { client_id: 'a', sub: 'a', username: 'ana' }, false],
];

describe('the token of an application is told from that of a person', () => {
  test.each(tokens)('%s, %s: %j', (_, kind, claims, isApplication) => {
    expect(isApplicationToken({ ...claims }, kind)).toBe(isApplication);
  });
});

const { keys, sign } = await createProvider();

const person = { name: 'Ana Ferreyra', given_name: 'Ana', family_name: 'Ferreyra', email: 'ana@example.org' };

const times = { iat: inSeconds(-1), exp: inSeconds(60) };

interface Shape {
  /** What an operator writes. */
  readonly settings: Record<string, unknown>;
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
  readonly client: string;
  /** Of an ID token of the same provider, which is no access token. */
  readonly idToken?: Record<string, unknown>;
}

const keycloak = {
  iss: 'https://id.hospital.example/realms/hospital',
  aud: ['puente', 'account'],
  sub: 'a49f3151-68dc-425b-84fd-a32cc3f5ac14',
  typ: 'Bearer',
  azp: 'platform',
  realm_access: { roles: ['offline_access', 'slots:read'] },
  scope: 'email profile patients:read',
  ...times,
};

const entra = {
  iss: 'https://login.microsoftonline.com/6babcaad-604b-40ac-a9d7-9fd97c0b779f/v2.0',
  aud: '11112222-bbbb-3333-cccc-4444dddd5555',
  sub: 'ff1bd1a5-c2a5-4ba9-8f2e-ba2d2a0d1c55',
  oid: 'ff1bd1a5-c2a5-4ba9-8f2e-ba2d2a0d1c55',
  azp: '00001111-aaaa-2222-bbbb-3333cccc4444',
  ver: '2.0',
  ...times,
};

const auth0 = {
  iss: 'https://hospital.eu.auth0.com/',
  sub: 'AbCdEf123@clients',
  aud: 'https://puente.hospital.example',
  azp: 'AbCdEf123',
  gty: 'client-credentials',
  scope: 'patients:read slots:read',
  ...times,
};

const okta = {
  ver: 1,
  iss: 'https://hospital.okta.com/oauth2/default',
  aud: 'api://puente',
  cid: '0oa1platform',
  sub: '0oa1platform',
  scp: ['patients:read', 'slots:read'],
  ...times,
};

const cognito = {
  iss: 'https://cognito-idp.sa-east-1.amazonaws.com/sa-east-1_Abc123',
  sub: '5h1platform',
  client_id: '5h1platform',
  token_use: 'access',
  scope: 'puente/patients:read puente/slots:read',
  version: 2,
  ...times,
};

const set = (preset: string, { iss, aud }: { iss: string; aud?: unknown }, more: object = {}) => ({
  preset,
  issuer: iss,
  audience: Array.isArray(aud) ? aud[0] : aud,
  ...more,
});

const shapes: Record<string, Shape> = {
  'Keycloak, of a client': {
    settings: set('keycloak', keycloak),
    header: { typ: 'JWT' },
    claims: { ...keycloak, client_id: 'platform', preferred_username: 'service-account-platform' },
    client: 'platform',
    idToken: { ...keycloak, typ: 'ID' },
  },
  'Keycloak, of a person': {
    settings: set('keycloak', keycloak),
    header: { typ: 'at+jwt' },
    claims: { ...keycloak, ...person, preferred_username: 'ana' },
    client: 'platform',
  },
  'Entra ID 2, of an application': {
    settings: set('entra', entra),
    header: { typ: 'JWT' },
    claims: { ...entra, roles: ['patients:read', 'slots:read'] },
    client: entra.azp,
    idToken: { ...entra, ...person, aud: entra.azp },
  },
  'Entra ID 1, of a person': {
    settings: set('entra', { ...entra, iss: 'https://sts.windows.net/6babcaad/', aud: 'api://puente' }),
    header: { typ: 'JWT' },
    claims: {
      ...{ ...entra, azp: undefined, iss: 'https://sts.windows.net/6babcaad/', aud: 'api://puente', ver: '1.0' },
      ...person,
      appid: 'platform-app',
      upn: 'ana@example.org',
      unique_name: 'ana@example.org',
      scp: 'patients:read slots:read',
    },
    client: 'platform-app',
  },
  Auth0: { settings: set('auth0', auth0), header: { typ: 'JWT' }, claims: auth0, client: 'AbCdEf123' },
  'Auth0, of a person with permissions': {
    settings: set('auth0', auth0),
    header: { typ: 'at+jwt' },
    claims: {
      ...auth0,
      sub: 'auth0|ana',
      aud: [auth0.aud, 'https://hospital.eu.auth0.com/userinfo'],
      scope: 'openid profile',
      permissions: ['patients:read', 'slots:read'],
    },
    client: 'AbCdEf123',
  },
  Okta: { settings: set('okta', okta), header: {}, claims: okta, client: '0oa1platform' },
  'Okta, of a person': {
    settings: set('okta', okta),
    header: { typ: 'application/okta-internal-at+jwt' },
    claims: { ...okta, sub: 'ana@example.org', uid: '00u1ana' },
    client: '0oa1platform',
  },
  'Cognito, of a client': {
    settings: set('cognito', { ...cognito, aud: ['5h1platform'] }, { scopePrefix: 'puente/' }),
    header: {},
    claims: cognito,
    client: '5h1platform',
    idToken: { ...cognito, ...person, token_use: 'id', aud: '5h1platform', client_id: undefined },
  },
  'Cognito, of a person': {
    settings: set('cognito', { ...cognito, aud: ['5h1platform'] }, { scopePrefix: 'puente/' }),
    header: {},
    claims: { ...cognito, username: 'ana', 'cognito:groups': ['patients'] },
    client: '5h1platform',
  },
};

const authenticate = async ({ settings }: Shape, header: object, claims: object) =>
  createAuthenticator({ tokens: [], issuers: [toIssuer(settings, keys)] })(
    `Bearer ${await sign({ ...header }, { ...claims })}`,
  );

describe.each(Object.entries(shapes))('a token of %s', (name, shape) => {
  test('names its client and its scopes with the preset, and another subject by its identifier alone', async () => {
    const found = await authenticate(shape, shape.header, shape.claims);
    const { iss: issuer, sub: id } = shape.claims;
    expect(found).toEqual({
      name: shape.client,
      scopes: new Set(['patients:read', 'slots:read']),
      subject: id === shape.client ? undefined : { issuer, id },
    });
  });

  test('is refused as one of a person when only applications may come in, and no other is', async () => {
    const only = { ...shape, settings: { ...shape.settings, applicationsOnly: true } };
    const found = authenticate(only, shape.header, shape.claims).then(
      ({ name }) => name,
      ({ reason }) => reason,
    );
    expect(await found).toBe(name.includes('of a person') ? 'user_token' : shape.client);
  });

  test('is not an ID token', async () => {
    const { idToken } = shape;
    const refusal = idToken && (await authenticate(shape, shape.header, idToken).catch((error: unknown) => error));
    expect(refusal === undefined || refusal instanceof Rejection).toBe(true);
  });
});

describe('several issuers', () => {
  const [first, second] = [shapes.Auth0!, shapes.Okta!];
  const check = async ({ claims, header }: Shape) => {
    const issuers = [first, second].map(({ settings }) => toIssuer(settings, keys));
    return createAuthenticator({ tokens: [], issuers })(`Bearer ${await sign(header, claims)}`);
  };

  test('are all accepted, each by its own rules', async () => {
    expect((await check(first)).name).toBe(first.client);
    expect((await check(second)).name).toBe(second.client);
    await expect(check({ ...first, claims: { ...first.claims, iss: okta.iss } })).rejects.toMatchObject({
      reason: 'wrong_audience',
    });
  });

  test('may each have a client of the same name, which are two', async () => {
    const same = await check({ ...second, claims: { ...okta, cid: first.client } });
    expect([same.name, same.key]).toEqual([first.client, `${okta.iss} ${first.client}`]);
  });
});
