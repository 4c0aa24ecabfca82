import { describe, expect, test } from '@jest/globals';
import { isApplicationToken, type ProviderKind } from '../../src/auth/client.ts';

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
