import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { Rejection } from '../../api/index.ts';
import type { Client } from './client.ts';
import type { Introspection } from './introspection.ts';
import type { IssuerClock } from './issuer-clock.ts';
import { type TokenProblem, unauthorized } from './refusal.ts';
import { RemoteKeys } from './remote-keys.ts';
import { type DecodedToken, decodeToken, findTokenProblem, type TokenRules } from './token-checks.ts';
import { type ScopeRules, toClient } from './token-client.ts';

export interface JwtSettings extends TokenRules, ScopeRules {
  /** The issuer's keys (RFC 7517). */
  readonly keys: RemoteKeys | JSONWebKeySet;
  readonly clock: IssuerClock;
  /** Given, the issuer is asked whether tokens are still active. */
  readonly introspection?: Introspection | undefined;
}

/**
 * The client that a token identifies. `digest` is the token's hash.
 * @throws Rejection `unauthenticated` if the token is not valid, or `auth_provider_unavailable`.
 */
export type JwtVerifier = (token: string, digest: string) => Promise<Client>;

/** How many verified tokens are cached. */
const MAX_VERIFIED = 10_000;

interface Verified {
  readonly client: Client;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly settings: JwtSettings;
  /** That of the keys by which it was verified. */
  readonly version: string;
}

/**
 * Verifies JWTs (RFC 7519, RFC 8725): the issuer, the type, the audience and the times; then the signature, with an accepted
 * algorithm and the issuer's keys, which are not fetched for a token that fails without them. A verified token is cached by
 * its hash until it expires or the keys change; only then is its issuer asked about it, where that is configured.
 */
export function createJwtVerifier(issuers: readonly JwtSettings[], now: () => number): JwtVerifier {
  const lookups = new Map(issuers.map(({ keys }) => [keys, createKeyLookup(keys)]));
  const verified = new Map<string, Verified>();

  return async (token, digest) => {
    const { client, settings } = await verify(token, digest);
    const { introspection } = settings;
    if (introspection?.isFor('jwt') && !(await introspection.introspect(token, digest))) throw unauthorized('inactive');
    return client;
  };

  async function verify(token: string, digest: string): Promise<Verified> {
    const cached = verified.get(digest);
    if (cached?.settings.keys instanceof RemoteKeys) cached.settings.keys.refresh();
    if (cached && cached.expires > now() && cached.version === getVersion(cached.settings.keys)) return cached;
    verified.delete(digest);
    const decoded = decodeToken(token);
    const { settings, lookup, problem } = findSettings(decoded);
    const claims = await verifyByNewest(token, lookup, settings, decoded?.header?.kid);
    settings.clock.see(claims, now() / 1000);
    if (problem) throw unauthorized(problem);
    const client = qualifyClient(toClient(claims, settings), settings, issuers);
    const oldest = verified.size >= MAX_VERIFIED ? verified.keys().next().value : undefined;
    if (oldest !== undefined) verified.delete(oldest);
    const expires = computeExpiry(claims, settings);
    const entry = { client, expires, settings, version: getVersion(settings.keys) };
    verified.set(digest, entry);
    return entry;
  }

  /** A token that names no key may be signed with one that was published since the keys were fetched. */
  async function verifyByNewest(token: string, lookup: JWTVerifyGetKey, settings: JwtSettings, kid: unknown) {
    const { keys } = settings;
    const version = getVersion(keys);
    try {
      return await verifySignature(token, lookup, settings, now);
    } catch (error) {
      const isOther = !(error instanceof Rejection) || error.reason !== 'bad_signature';
      if (isOther || kid !== undefined || !(keys instanceof RemoteKeys)) throw error;
      await keys.look();
      if (keys.version === version) throw error;
      return verifySignature(token, lookup, settings, now);
    }
  }

  function findSettings(decoded: DecodedToken | undefined) {
    if (!decoded) throw unauthorized('malformed_token');
    const settings = issuers.find(({ issuer }) => issuer === decoded.claims.iss);
    const lookup = settings && lookups.get(settings.keys);
    if (!settings || !lookup) throw unauthorized('wrong_issuer');
    const problem = findTokenProblem(decoded, settings, now() / 1000);
    if (problem && problem !== 'issued_ahead') throw unauthorized(problem);
    return { settings, lookup, problem };
  }
}

/** Two issuers may each have a client of one name. */
export const qualifyClient = (client: Client, { issuer }: JwtSettings, issuers: readonly JwtSettings[]): Client =>
  issuer === issuers[0]?.issuer ? client : { ...client, key: `${issuer} ${client.key ?? client.name}` };

/**
 * The claims of a token whose signature is valid.
 * @throws Rejection as the verifier does.
 */
export async function verifySignature(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, algorithms, clockTolerance }: TokenRules,
  now: () => number,
): Promise<JWTPayload> {
  try {
    const given = { issuer, algorithms: [...algorithms], clockTolerance, currentDate: new Date(now()) };
    const options = { ...given, requiredClaims: ['exp'] };
    return await jwtVerify(token, keys, options).then(
      ({ payload }) => payload,
      (error: unknown) => {
        if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyByAny(token, error, options);
        throw error;
      },
    );
  } catch (error) {
    if (error instanceof errors.JOSEError) throw unauthorized(toTokenProblem(error));
    if (isOfUnusableKey(error)) throw unauthorized('unknown_key');
    throw error;
  }
}

/** By whichever of the keys it is signed with: a token need not name its key, and two keys may have one name. */
async function verifyByAny(
  token: string,
  keys: errors.JWKSMultipleMatchingKeys,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed) && !isOfUnusableKey(error)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** Of a damaged key, or one that is too short: it is as if it were not in the set (RFC 7517, 5), and no fault of ours. */
const isOfUnusableKey = (error: unknown): boolean =>
  ['DataError', 'TypeError'].includes(String(Reflect.get(Object(error), 'name')));

function toTokenProblem(error: errors.JOSEError): TokenProblem {
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSInvalid) return 'unknown_key';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'bad_signature';
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) return 'wrong_algorithm';
  return error instanceof errors.JWTExpired ? 'expired' : 'malformed_token';
}

function computeExpiry({ exp = 0, iat = 0 }: JWTPayload, { maxTokenAge }: TokenRules): number {
  return Math.min(exp, maxTokenAge === undefined ? exp : iat + maxTokenAge) * 1000;
}

export const createKeyLookup = (keys: RemoteKeys | JSONWebKeySet): JWTVerifyGetKey =>
  keys instanceof RemoteKeys ? keys.find : createLocalJWKSet(keys);

const getVersion = (keys: RemoteKeys | JSONWebKeySet): string => (keys instanceof RemoteKeys ? keys.version : '');
