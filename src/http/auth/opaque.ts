import type { Client } from '../gateway.ts';
import { type JwtSettings, qualifyClient } from './jwt.ts';
import { unauthorized } from './refusal.ts';
import { findIntrospectedProblem } from './token-checks.ts';
import { toClient } from './token-client.ts';

/**
 * The client that an opaque token of an issuer identifies, by what the issuer says of it: that is looked at as the claims
 * of a JWT are.
 * @throws Rejection `unauthenticated` if the token is not valid, or `auth_provider_unavailable`.
 */
export type OpaqueVerifier = (token: string, digest: string) => Promise<Client>;

/** Undefined when no issuer is asked about opaque tokens. */
export function createOpaqueVerifier(issuers: readonly JwtSettings[], now: () => number): OpaqueVerifier | undefined {
  const settings = issuers.find(({ introspection }) => introspection?.isFor('opaque'));
  if (!settings?.introspection) return undefined;
  const { introspection } = settings;
  return async (token, digest) => {
    const claims = await introspection.introspect(token, digest);
    if (!claims) throw unauthorized('inactive');
    const problem = findIntrospectedProblem(claims, settings, now() / 1000);
    if (problem) throw unauthorized(problem);
    return qualifyClient(toClient(claims, settings), settings, issuers);
  };
}
