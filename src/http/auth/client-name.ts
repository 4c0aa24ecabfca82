import type { JWTPayload } from 'jose';
import { toList } from './claims.ts';

/** The claims that name the application, whoever uses it: RFC 9068; OpenID Connect and Entra ID 2; Entra ID 1; Okta. */
const clientClaims = ['client_id', 'azp', 'appid', 'cid'] as const;

/** The claims that name a person, or a login, at one provider or another. */
export const personClaims = [
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
];

/** What an application may be called: an identifier, or a URL. */
const clientName = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/**
 * The name of the application; a name or login of a person is never taken for one. Claims that disagree name nobody: one
 * of them may be the login of a person that no other claim tells.
 */
export function findClientName(claims: JWTPayload): string | undefined {
  const persons = personClaims.flatMap((name) => toList(claims[name]));
  const [name, ...others] = clientClaims
    .map((claim) => claims[claim])
    .filter((value) => typeof value === 'string' && clientName.test(value) && !persons.includes(value));
  return typeof name === 'string' && others.every((other) => other === name) ? name : undefined;
}
