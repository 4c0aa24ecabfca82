import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { JWTPayload } from 'jose';
import { allScopes, type Scope } from '../api/index.ts';
import { isRecord } from '../toolkit/records.ts';

/** The authenticated sender of a request. */
export interface Client {
  /** The name of an application, for the log. Never a person's name. */
  readonly name: string;
  /** Identifies the client if the name does not. */
  readonly key?: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The person of the token, for the audit trail only. Absent if the token is the client's own. */
  readonly subject?: { readonly issuer: string; readonly id: string } | undefined;
}

/**
 * Identifies the client of a request.
 * @throws Rejection `unauthenticated`, `rate_limited`, or `auth_provider_unavailable` if the token cannot be checked now.
 */
export type AuthenticateRequest = (req: IncomingMessage) => Promise<Client>;

/** The rules that map a token's claims to scopes. */
export interface ScopeRules {
  /** Claims with scopes, each a space-separated string or a list. `a.b` is the claim b in a. */
  readonly scopeClaim: string | readonly string[];
  /** Prefixes to remove from the issuer's scopes, e.g. `api://puente/`. */
  readonly scopePrefix?: readonly string[] | undefined;
  /** The scopes for other words of the issuer, e.g. `Patients.Read`. */
  readonly scopeMap?: Readonly<Record<string, readonly Scope[]>> | undefined;
}

/** The client of a verified token. Its name is an application's. A person's name or login never becomes the name. */
export function toClient(claims: JWTPayload, rules: ScopeRules): Client {
  const scopes = readScopes(claims, rules);
  const name = findClientName(claims);
  const { iss, sub } = claims;
  const subject = iss === undefined || sub === undefined || sub === name ? undefined : { issuer: iss, id: sub };
  if (name !== undefined) return { name, scopes, subject };
  // Unnamed clients need distinct keys, because limits and idempotency keys belong to one client.
  const key = `unnamed ${hash('sha256', JSON.stringify([iss, sub]))}`;
  return { name: 'unnamed', key, scopes, subject };
}

/** The issuer's scopes in the claims of the rules. */
export const listScopeWords = (claims: JWTPayload, { scopeClaim }: ScopeRules): readonly string[] =>
  toList(scopeClaim).flatMap((path) => readWords(findClaim(claims, String(path))));

/** The claim that has scopes of this gateway, at the top or one level below, and their prefix. */
export function findPrefix(claims: JWTPayload): { readonly claim: string; readonly prefix: string } | undefined {
  const below = Object.entries(claims).flatMap(([name, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each])
      : [[name, value]],
  );
  for (const [claim, value] of below) {
    for (const word of readWords(value)) {
      const scope = allScopes.find((each) => word.endsWith(each));
      if (scope !== undefined) return { claim, prefix: word.slice(0, -scope.length) };
    }
  }
  return undefined;
}

function readScopes(claims: JWTPayload, rules: ScopeRules): ReadonlySet<Scope> {
  const { scopePrefix = [], scopeMap = {} } = rules;
  const granted = new Set<string>();
  for (const word of listScopeWords(claims, rules)) {
    const prefix = scopePrefix.find((each) => word.startsWith(each)) ?? '';
    const bare = word.slice(prefix.length);
    for (const name of [word, bare]) {
      if (Object.hasOwn(scopeMap, name)) for (const scope of scopeMap[name] ?? []) granted.add(scope);
    }
    granted.add(bare);
  }
  return new Set(allScopes.filter((scope) => granted.has(scope)));
}

/**
 * The provider whose conventions distinguish applications' tokens from persons'; `rfc9068` for a provider without a
 * preset.
 */
export type ProviderKind = 'rfc9068' | 'keycloak' | 'entra' | 'auth0' | 'okta' | 'cognito';

type ClaimRule = (claims: JWTPayload) => boolean;

const isAbsent = (claims: JWTPayload, ...names: readonly string[]): boolean =>
  names.every((name) => claims[name] === undefined);

/** RFC 9068, 2.2: without a person the subject is the application itself. */
const isItsOwnSubject: ClaimRule = (claims) => claims.sub !== undefined && claims.sub === findClientName(claims);

const rules: Readonly<Record<ProviderKind, ClaimRule>> = {
  // RFC 9068, 2.2.1: only a person's login has a time, a strength and methods.
  rfc9068: (claims) => isAbsent(claims, 'sid', 'auth_time', 'acr', 'amr', ...personClaims) && isItsOwnSubject(claims),
  // Only the login of a service account puts `client_id` into its token. Nobody can register under the account's own
  // name. A person can have the name of an account whose client does not exist, but has a session. Tokens of some
  // exchanges do not name the session. An introspection answer always has a `client_id`, and it also has the login as
  // `username`.
  keycloak: (claims) => {
    const { client_id: client, azp = client, preferred_username: login, username = login } = claims;
    return (
      isAbsent(claims, 'sid') &&
      typeof client === 'string' &&
      azp === client &&
      [login, username].every((name) => name === undefined || name === `service-account-${client.toLowerCase()}`)
    );
  },
  // `idtyp` if it was requested. Without it, only an application's token has no `scp` and has the application as its
  // object.
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

/** True if an application got this token for itself. An ambiguous token counts as a person's. */
export const isApplicationToken = (claims: JWTPayload, kind: ProviderKind): boolean => rules[kind](claims);

export const toList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** The words of a claim with a space-separated string or a list. */
const readWords = (claim: unknown): readonly string[] =>
  (typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : []).filter(
    (word: unknown): word is string => typeof word === 'string' && word !== '',
  );

/** `a.b` is the claim b in a, unless a claim has exactly that name. */
function findClaim(claims: JWTPayload, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      claims,
    );
}

/** The claims that name the application of any token: RFC 9068; OpenID Connect and Entra ID 2; Entra ID 1; Okta. */
const clientClaims = ['client_id', 'azp', 'appid', 'cid'] as const;

/** The claims that name a person or a login, of all providers. */
const personClaims = [
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

/** The form of an application's name: an identifier or a URL. */
const clientName = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/**
 * The name of the application. A person's name or login never becomes the name. Claims that disagree name nobody,
 * because one of them may be a login.
 */
export function findClientName(claims: JWTPayload): string | undefined {
  const persons = personClaims.flatMap((name) => toList(claims[name]));
  const [name, ...others] = clientClaims
    .map((claim) => claims[claim])
    .filter((value) => typeof value === 'string' && clientName.test(value) && !persons.includes(value));
  return typeof name === 'string' && others.every((other) => other === name) ? name : undefined;
}
