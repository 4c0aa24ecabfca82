import { describe, expect, test } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { toClient } from '../../src/auth/client.ts';

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
