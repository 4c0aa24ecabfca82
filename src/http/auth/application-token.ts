import type { JWTPayload } from 'jose';
import { findClientName, personClaims } from './client-name.ts';

/** By whose habits the token of an application is told from that of a person; `rfc9068` for a provider without a preset. */
export type ProviderKind = 'rfc9068' | 'keycloak' | 'entra' | 'auth0' | 'okta' | 'cognito';

type Rule = (claims: JWTPayload) => boolean;

const isAbsent = (claims: JWTPayload, ...names: readonly string[]): boolean =>
  names.every((name) => claims[name] === undefined);

/** RFC 9068, 2.2: without a person the subject is the application itself. */
const isItsOwnSubject: Rule = (claims) => claims.sub !== undefined && claims.sub === findClientName(claims);

const rules: Readonly<Record<ProviderKind, Rule>> = {
  // 2.2.1: the login of a person alone has a time, a strength and methods.
  rfc9068: (claims) => isAbsent(claims, 'sid', 'auth_time', 'acr', 'amr', ...personClaims) && isItsOwnSubject(claims),
  // Only the login of a service account puts `client_id` into its token. Nobody can register under the name that belongs to
  // it, but under that of a client without one: such a person has a session, which tokens of some exchanges do not name. An
  // answer of introspection has a `client_id` always, and the login as `username` too.
  keycloak: (claims) => {
    const { client_id: client, azp = client, preferred_username: login, username = login } = claims;
    return (
      isAbsent(claims, 'sid') &&
      typeof client === 'string' &&
      azp === client &&
      [login, username].every((name) => name === undefined || name === `service-account-${client.toLowerCase()}`)
    );
  },
  // `idtyp` where it was asked for; without it, only a token for an application has no `scp` and itself as its object.
  entra: (claims) =>
    isAbsent(claims, 'scp') &&
    (claims.idtyp === undefined ? typeof claims.oid === 'string' && claims.oid === claims.sub : claims.idtyp === 'app'),
  auth0: (claims) =>
    (claims.gty ?? 'client-credentials') === 'client-credentials' &&
    claims.sub !== undefined &&
    claims.sub === `${findClientName(claims)}@clients`,
  okta: (claims) => isAbsent(claims, 'uid') && isItsOwnSubject(claims),
  cognito: (claims) => isAbsent(claims, 'username', 'cognito:username') && isItsOwnSubject(claims),
};

/** Whether an application got this token for itself. A token of which that cannot be told is one of a person. */
export const isApplicationToken = (claims: JWTPayload, kind: ProviderKind): boolean => rules[kind](claims);
