import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { allScopes, Rejection, type Scope } from '../../api/index.ts';
import type { Client } from '../gateway.ts';

export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  /** Where the issuer publishes its keys, or the keys themselves (RFC 7517). */
  readonly keys: URL | JSONWebKeySet;
  readonly algorithms: readonly string[];
  /** Seconds by which the issuer's clock may differ. */
  readonly clockTolerance: number;
  /** The claim that holds the scopes: words with spaces between them, or a list. */
  readonly scopeClaim: string;
  /** The `typ` header that a token must have, e.g. `at+jwt` (RFC 9068); absent: any. */
  readonly typ?: string | undefined;
}

/** The client that a token proves, or undefined when the token proves nothing. `digest` is the token's hash. */
export type JwtVerifier = (token: string, digest: string) => Promise<Client | undefined>;

/** How many verified tokens are remembered. */
const MAX_VERIFIED = 10_000;

/**
 * Verifies JWTs (RFC 7519, RFC 8725): signature by an allow-listed algorithm and the issuer's keys, issuer, audience,
 * and an expiry that must be there. A verified token is remembered by its hash until it expires.
 * @throws Rejection `auth_provider_unavailable` when the issuer's keys cannot be had.
 */
export function createJwtVerifier(settings: JwtSettings, now: () => number): JwtVerifier {
  const keys = createKeyLookup(settings);
  const verified = new Map<string, { readonly client: Client; readonly expires: number }>();

  return async (token, digest) => {
    const known = verified.get(digest);
    if (known && known.expires > now()) return known.client;
    verified.delete(digest);
    const claims = await verifyClaims(token, keys, settings, now);
    if (!claims) return undefined;
    const client = { name: getClientName(claims), scopes: parseScopes(claims[settings.scopeClaim]) };
    const oldest = verified.size >= MAX_VERIFIED ? verified.keys().next().value : undefined;
    if (oldest !== undefined) verified.delete(oldest);
    verified.set(digest, { client, expires: (claims.exp as number) * 1000 });
    return client;
  };
}

async function verifyClaims(
  token: string,
  keys: JWTVerifyGetKey,
  settings: JwtSettings,
  now: () => number,
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: settings.issuer,
      audience: settings.audience,
      algorithms: [...settings.algorithms],
      clockTolerance: settings.clockTolerance,
      requiredClaims: ['exp'],
      currentDate: new Date(now()),
      ...(settings.typ !== undefined && { typ: settings.typ }),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** A token whose key the issuer does not have is wrong; keys that cannot be fetched say nothing about the token. */
function createKeyLookup({ keys }: JwtSettings): JWTVerifyGetKey {
  const find =
    keys instanceof URL
      ? createRemoteJWKSet(keys, { timeoutDuration: 2_000, cooldownDuration: 30_000 })
      : createLocalJWKSet(keys);
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw new Rejection('auth_provider_unavailable', { cause: error });
    }
  };
}

const getClientName = ({ client_id, azp, sub }: JWTPayload): string =>
  [client_id, azp, sub].find((name) => typeof name === 'string') ?? 'unnamed';

function parseScopes(claim: unknown): ReadonlySet<Scope> {
  const words: unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return new Set(allScopes.filter((scope) => words.includes(scope)));
}
