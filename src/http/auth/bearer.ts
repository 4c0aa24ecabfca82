import { hash } from 'node:crypto';
import { Rejection, type Scope, scopes } from '../../api/index.ts';
import type { Authenticate, Client } from '../gateway.ts';
import { createJwtVerifier, type JwtSettings } from './jwt.ts';

/** An opaque token that configuration knows by its hash. */
export interface TokenSettings {
  readonly client: string;
  /** SHA-256 of the whole token in 64 hexadecimal digits. */
  readonly sha256: string;
  readonly scopes: readonly Scope[];
  /** The moment from which it is refused, as `Date` reads it. */
  readonly expires?: string | undefined;
}

export interface AuthSettings {
  readonly tokens: readonly TokenSettings[];
  readonly jwt?: JwtSettings | undefined;
  /** Milliseconds since 1970; the clock that expiry is judged by. */
  readonly now?: () => number;
}

/** RFC 6750, section 2.1. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;
const MAX_TOKEN = 8_192;

/** What a caller without a usable token is told; never which check failed. RFC 6750, section 3. */
const unauthorized = (presented: boolean): Rejection =>
  new Rejection('unauthenticated', {
    headers: {
      'WWW-Authenticate': presented ? 'Bearer realm="puente", error="invalid_token"' : 'Bearer realm="puente"',
    },
  });

/** Checks bearer tokens: opaque ones by their hash, and JWTs when configuration names their issuer. */
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
    const token = authorization && bearer.exec(authorization)?.[1];
    if (!token || token.length > MAX_TOKEN) throw unauthorized(authorization !== undefined);
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

/** Refuses a client that lacks the scope. RFC 6750, section 3.1. */
export function requireScope(scope: Scope, client: Client): void {
  if (client.scopes.has(scope)) return;
  throw new Rejection('insufficient_scope', {
    detail: `The token lacks the scope ${scope}: ${scopes[scope].toLowerCase()}.`,
    headers: { 'WWW-Authenticate': `Bearer realm="puente", error="insufficient_scope", scope="${scope}"` },
  });
}
