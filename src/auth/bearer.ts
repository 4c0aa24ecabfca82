import { hash } from 'node:crypto';
import { Rejection, type Scope } from '../api/index.ts';
import type { Client } from './client.ts';
import type { TokenOrigin } from './introspection.ts';
import type { JwtSettings } from './jwt.ts';
import { type RefusalReason, unauthorized } from './refusals.ts';

/** An opaque token, configured by its hash. */
export interface TokenSettings {
  readonly client: string;
  /** SHA-256 of the whole token in 64 hexadecimal digits. */
  readonly sha256: string;
  readonly scopes: readonly Scope[];
  /** The expiry, in a format that `Date` parses. */
  readonly expires?: string | undefined;
}

export interface AuthSettings {
  readonly tokens: readonly TokenSettings[];
  /** Further issuers of tokens. */
  readonly issuers?: readonly JwtSettings[];
  /** The maximum length of a token in characters. Default: 16,384. */
  readonly maxTokenLength?: number;
  /** The clock for expiry, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/**
 * Identifies the client by the `Authorization` header.
 * @throws Rejection `unauthenticated`, `auth_provider_unavailable` if the token cannot be checked now, or as the source does.
 */
export type Authenticate = (authorization: string | undefined, source?: TokenOrigin) => Promise<Client>;

/** RFC 6750, section 2.1. */
const bearerPattern = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Matches JWTs, but no opaque token of an issuer. */
export const jwtPattern = /^[^.]+\.[^.]*\.[^.]*$/;

/**
 * Authenticates by bearer token. Opaque tokens are identified by their hash. If issuers are configured, their JWTs and
 * opaque tokens are accepted too.
 */
export function createAuthenticator(settings: AuthSettings): Authenticate {
  const { tokens, issuers = [], maxTokenLength = 16_384, now = Date.now } = settings;
  const opaque = new Map(
    tokens.map((token) => [
      token.sha256.toLowerCase(),
      {
        client: { name: token.client, scopes: new Set(token.scopes) },
        expires: token.expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(token.expires),
      },
    ]),
  );
  const verifiers = issuers.length > 0 ? createVerifiers(issuers, now) : undefined;

  return async (authorization, source) => {
    if (authorization === undefined) throw unauthorized('no_token');
    const token = bearerPattern.exec(authorization)?.[1];
    if (!token) throw unauthorized('not_bearer');
    if (token.length > maxTokenLength) throw unauthorized('too_long');
    const digest = hash('sha256', token);
    const known = opaque.get(digest);
    if (known) {
      if (known.expires <= now()) throw unauthorized('expired');
      return known.client;
    }
    const { verifyJwt, verifyOpaque } = (await verifiers) ?? {};
    const verify = jwtPattern.test(token) ? verifyJwt : verifyOpaque;
    if (!verify) throw unauthorized('unknown_token');
    return verify(token, digest, source);
  };
}

/**
 * Loads the verification of issuers' tokens. Most of it is cryptography that a gateway without an issuer does not need.
 */
async function createVerifiers(issuers: readonly JwtSettings[], now: () => number) {
  const { createJwtVerifier, createOpaqueVerifier } = await import('./jwt.ts');
  return { verifyJwt: createJwtVerifier(issuers, now), verifyOpaque: createOpaqueVerifier(issuers, now) };
}

/** @throws Rejection `insufficient_scope` if the client lacks the scope. RFC 6750, section 3.1. */
export function requireScope(scope: Scope, client: Client): void {
  if (client.scopes.has(scope)) return;
  const details = {
    happened: `The token lacks the scope ${scope}.`,
    headers: { 'WWW-Authenticate': `Bearer realm="puente", error="insufficient_scope", scope="${scope}"` },
  };
  throw new Rejection('insufficient_scope', details, 'scope_missing' satisfies RefusalReason);
}
