import { describe, expect, test } from '@jest/globals';
import { Rejection } from '../../src/api/index.ts';
import { createAuthenticator } from '../../src/auth/bearer.ts';
import { createProvider, inSeconds, toIssuer } from '../support/provider.ts';

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
