import type { Client } from './client.ts';
import type { TokenSource } from './introspection.ts';
import { type JwtSettings, qualifyClient } from './jwt.ts';
import { unauthorized } from './refusal.ts';
import { findTokenProblem } from './token-checks.ts';
import { toClient } from './token-client.ts';

/**
 * The client that an opaque token of an issuer identifies, by what the issuer says of it: that is looked at as the claims
 * of a JWT are.
 * @throws Rejection `unauthenticated` if the token is not valid, `auth_provider_unavailable`, or as the source does.
 */
export type OpaqueVerifier = (token: string, digest: string, source: TokenSource | undefined) => Promise<Client>;

/** Undefined when no issuer is asked about opaque tokens. */
export function createOpaqueVerifier(issuers: readonly JwtSettings[], now: () => number): OpaqueVerifier | undefined {
  const settings = issuers.find(({ introspection }) => introspection?.isFor('opaque'));
  if (!settings?.introspection) return undefined;
  const { introspection } = settings;
  return async (token, digest, source) => {
    const claims = await introspection.introspect(token, digest, source);
    if (!claims) throw unauthorized('inactive');
    settings.clock.see(claims, now() / 1000);
    const problem = findTokenProblem({ claims }, settings, now() / 1000);
    if (problem) throw unauthorized(problem);
    return qualifyClient(toClient(claims, settings), settings, issuers);
  };
}
