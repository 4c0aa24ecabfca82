import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { allScopes, type Scope } from '../../api/index.ts';
import type { Client } from '../gateway.ts';
import { RemoteKeys } from './remote-keys.ts';

export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  /** The issuer's keys (RFC 7517). */
  readonly keys: RemoteKeys | JSONWebKeySet;
  readonly algorithms: readonly string[];
  /** Seconds by which the issuer's clock may differ from ours. */
  readonly clockTolerance: number;
  /** The claim with the scopes: a space-separated string, or a list. */
  readonly scopeClaim: string;
  /** The required `typ` header, e.g. `at+jwt` (RFC 9068); absent: any. */
  readonly typ?: string | undefined;
}

/** The client that a token identifies, or undefined if the token is not valid. `digest` is the token's hash. */
export type JwtVerifier = (token: string, digest: string) => Promise<Client | undefined>;

/** How many verified tokens are cached. */
const MAX_VERIFIED = 10_000;

/**
 * Verifies JWTs (RFC 7519, RFC 8725): the signature, with an accepted algorithm and the issuer's keys; the issuer; the
 * audience; and the expiry, which is required. A verified token is cached by its hash until it expires.
 * @throws Rejection `auth_provider_unavailable` if the issuer's keys cannot be fetched.
 */
export function createJwtVerifier(settings: JwtSettings, now: () => number): JwtVerifier {
  const keys = createKeyLookup(settings);
  const verified = new Map<string, { readonly client: Client; readonly expires: number }>();

  return async (token, digest) => {
    const cached = verified.get(digest);
    if (cached && cached.expires > now()) return cached.client;
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

const createKeyLookup = ({ keys }: JwtSettings): JWTVerifyGetKey =>
  keys instanceof RemoteKeys ? keys.find : createLocalJWKSet(keys);

const getClientName = ({ client_id, azp, sub }: JWTPayload): string =>
  [client_id, azp, sub].find((name) => typeof name === 'string') ?? 'unnamed';

function parseScopes(claim: unknown): ReadonlySet<Scope> {
  const words: unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return new Set(allScopes.filter((scope) => words.includes(scope)));
}
