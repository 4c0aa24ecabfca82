import { describe, expect, test } from '@jest/globals';
import { isApplicationToken, type ProviderKind } from '../../../src/http/auth/application-token.ts';

const tokens: readonly [string, ProviderKind, object, boolean][] = [
  ['whose subject is its client', 'rfc9068', { client_id: 'a', sub: 'a' }, true],
  ['whose subject is somebody else', 'rfc9068', { client_id: 'a', sub: 'b' }, false],
  ['without a subject and a client', 'rfc9068', {}, false],
  ['of a service account without a login', 'keycloak', { azp: 'a', client_id: 'a' }, true],
  ['of a session without a login', 'keycloak', { azp: 'a', client_id: 'a', sid: 's' }, false],
  ['without a login and a client of its own', 'keycloak', { azp: 'a' }, false],
  ['of a service account', 'keycloak', { azp: 'a', preferred_username: 'service-account-a' }, true],
  ['introspected of a person', 'keycloak', { client_id: 'a', username: 'ana' }, false],
  ['introspected of a service account', 'keycloak', { client_id: 'a', username: 'service-account-a' }, true],
  ['that says so', 'entra', { idtyp: 'app', oid: 'o', sub: 's' }, true],
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
