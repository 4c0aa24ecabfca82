import { hash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { allScopes, type Scope } from '../../api/index.ts';
import { findClaim, readWords, toList } from './claims.ts';
import type { Client } from './client.ts';
import { findClientName } from './client-name.ts';

/** Where a token says what its client may do. */
export interface ScopeRules {
  /** Claims with scopes, each a space-separated string or a list; `a.b` is the claim b in a. */
  readonly scopeClaim: string | readonly string[];
  /** What is removed from the beginning of the issuer's words, e.g. `api://puente/`. */
  readonly scopePrefix?: readonly string[] | undefined;
  /** What other words of the issuer mean, e.g. `Patients.Read`. */
  readonly scopeMap?: Readonly<Record<string, readonly Scope[]>> | undefined;
}

/** The client of a verified token. Its name is that of an application: a name or login of a person is never taken for one. */
export function toClient(claims: JWTPayload, rules: ScopeRules): Client {
  const scopes = readScopes(claims, rules);
  const name = findClientName(claims);
  const { iss, sub } = claims;
  const subject = iss === undefined || sub === undefined || sub === name ? undefined : { issuer: iss, id: sub };
  if (name !== undefined) return { name, scopes, subject };
  // Those without a name are told apart all the same: limits and idempotency keys belong to one client.
  const key = `unnamed ${hash('sha256', JSON.stringify([iss, sub]))}`;
  return { name: 'unnamed', key, scopes, subject };
}

/** The words of the issuer in the claims that have scopes. */
export const listScopeWords = (claims: JWTPayload, { scopeClaim }: ScopeRules): readonly string[] =>
  toList(scopeClaim).flatMap((path) => readWords(findClaim(claims, String(path))));

/** The claim, at the top or one below, in which scopes of this gateway are, and what stands before them. */
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
