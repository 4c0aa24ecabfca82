import { hash } from 'node:crypto';
import { Rejection, type Scope } from '../../api/index.ts';
import type { Client } from '../gateway.ts';
import { createJwtVerifier, type JwtSettings } from './jwt.ts';

/** An opaque token, configured by its hash. */
export interface TokenSettings {
  readonly client: string;
  /** SHA-256 of the whole token in 64 hexadecimal digits. */
  readonly sha256: string;
  readonly scopes: readonly Scope[];
  /** When it expires, in a format that `Date` parses. */
  readonly expires?: string | undefined;
}

export interface AuthSettings {
  readonly tokens: readonly TokenSettings[];
  readonly jwt?: JwtSettings | undefined;
  /** The clock that decides about expiry, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/**
 * Identifies the client by the `Authorization` header.
 * @throws Rejection `unauthenticated`, or `auth_provider_unavailable` if the token cannot be checked now.
 */
export type Authenticate = (authorization: string | undefined) => Promise<Client>;

/** RFC 6750, section 2.1. */
const bearerPattern = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;
const MAX_TOKEN_LENGTH = 8_192;

/** The rejection of a request without a valid token; it never says which check failed. RFC 6750, section 3. */
const unauthorized = (presented: boolean): Rejection =>
  new Rejection('unauthenticated', {
    headers: {
      'WWW-Authenticate': presented ? 'Bearer realm="puente", error="invalid_token"' : 'Bearer realm="puente"',
    },
  });

/** Authenticates by bearer token: opaque tokens by their hash, and JWTs if an issuer is configured. */
export function createAuthenticator({ tokens, jwt, now = Date.now }: AuthSettings): Authenticate {
  const opaque = new Map(
    tokens.map((token) => [
      token.sha256.toLowerCase(),
      {
        client: { name: token.client, scopes: new Set(token.scopes) },
        expires: token.expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(token.expires),
      },
    ]),
  );
  const verify = jwt && createJwtVerifier(jwt, now);

  return async (authorization) => {
    const token = authorization && bearerPattern.exec(authorization)?.[1];
    if (!token || token.length > MAX_TOKEN_LENGTH) throw unauthorized(authorization !== undefined);
    const digest = hash('sha256', token);
    const known = opaque.get(digest);
    if (known) {
      if (known.expires <= now()) throw unauthorized(true);
      return known.client;
    }
    const client = await verify?.(token, digest);
    if (!client) throw unauthorized(true);
    return client;
  };
}

/** @throws Rejection `insufficient_scope` if the client lacks the scope. RFC 6750, section 3.1. */
export function requireScope(scope: Scope, client: Client): void {
  if (client.scopes.has(scope)) return;
  throw new Rejection('insufficient_scope', {
    detail: `The token lacks the scope ${scope}. Ask the institution to grant it.`,
    headers: { 'WWW-Authenticate': `Bearer realm="puente", error="insufficient_scope", scope="${scope}"` },
  });
}
