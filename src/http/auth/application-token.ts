import type { JWTPayload } from 'jose';
import { findClientName } from './client-name.ts';

/** By whose habits the token of an application is told from that of a person; `rfc9068` for a provider without a preset. */
export type ProviderKind = 'rfc9068' | 'keycloak' | 'entra' | 'auth0' | 'okta' | 'cognito';

type Rule = (claims: JWTPayload) => boolean;

const isAbsent = (claims: JWTPayload, ...names: readonly string[]): boolean =>
  names.every((name) => claims[name] === undefined);

/** RFC 9068, 2.2: without a person the subject is the application itself. */
const isItsOwnSubject: Rule = (claims) => claims.sub !== undefined && claims.sub === findClientName(claims);

const rules: Readonly<Record<ProviderKind, Rule>> = {
  rfc9068: isItsOwnSubject,
  // The login of a service account, where the token has one. Without one, only a service account has a `client_id` of its own
  // and no session; an answer of introspection has a `client_id` always, and a `username` too.
  keycloak: (claims) => {
    const logins = [claims.preferred_username, claims.username].filter((login) => login !== undefined);
    if (logins.length === 0) return typeof claims.client_id === 'string' && isAbsent(claims, 'sid');
    return logins.every((login) => typeof login === 'string' && login.startsWith('service-account-'));
  },
  // `idtyp` where it was asked for; without it, only a token for an application has no `scp` and itself as its object.
  entra: (claims) =>
    claims.idtyp === undefined
      ? isAbsent(claims, 'scp') && typeof claims.oid === 'string' && claims.oid === claims.sub
      : claims.idtyp === 'app',
  auth0: (claims) =>
    (claims.gty ?? 'client-credentials') === 'client-credentials' &&
    claims.sub !== undefined &&
    claims.sub === `${findClientName(claims)}@clients`,
  okta: (claims) => isAbsent(claims, 'uid') && isItsOwnSubject(claims),
  cognito: (claims) => isAbsent(claims, 'username', 'cognito:username') && isItsOwnSubject(claims),
};

/** Whether an application got this token for itself. A token of which that cannot be told is one of a person. */
export const isApplicationToken = (claims: JWTPayload, kind: ProviderKind): boolean => rules[kind](claims);
