import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { Rejection } from '../api/index.ts';
import { getField } from '../toolkit/records.ts';
import {
  type Client,
  findClientName,
  isApplicationToken,
  type ProviderKind,
  type ScopeRules,
  toClient,
  toList,
} from './client.ts';
import type { Introspection, TokenOrigin } from './introspection.ts';
import { type TokenProblem, unauthorized } from './refusals.ts';
import { type IssuerClock, RemoteKeys } from './remote-keys.ts';

export interface JwtSettings extends TokenRules, ScopeRules {
  /** The issuer's keys (RFC 7517). */
  readonly keys: RemoteKeys | JSONWebKeySet;
  readonly clock: IssuerClock;
  /** If present, the issuer is asked whether tokens are active. */
  readonly introspection?: Introspection | undefined;
}

/**
 * Returns the client of a token. `digest` is the token's hash.
 * @throws Rejection `unauthenticated` if the token is not valid, or `auth_provider_unavailable`.
 */
export type JwtVerifier = (token: string, digest: string) => Promise<Client>;

/** The maximum number of cached verified tokens. */
const MAX_VERIFIED = 10_000;

interface Verified {
  readonly client: Client;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly settings: JwtSettings;
  /** The version of the keys that verified it. */
  readonly version: string;
}

/**
 * Verifies JWTs (RFC 7519, RFC 8725): the issuer, the type, the audience and the times, then the signature with an
 * accepted algorithm and the issuer's keys. A token that fails the first checks causes no fetch of keys. A verified
 * token is cached by its hash until it expires or the keys change. If introspection is configured, it follows the
 * verification.
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

  /** A token without a key id may be signed with a key that was published after the last fetch. */
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

/** Two issuers may each have a client with the same name. */
const qualifyClient = (client: Client, { issuer }: JwtSettings, issuers: readonly JwtSettings[]): Client =>
  issuer === issuers[0]?.issuer ? client : { ...client, key: `${issuer} ${client.key ?? client.name}` };

/**
 * Returns the claims of a token with a valid signature.
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

/** Tries all keys: a token need not name its key, and two keys may have the same id. */
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

/** True for the error of a damaged or short key. Such a key is ignored (RFC 7517, 5). */
const isOfUnusableKey = (error: unknown): boolean =>
  ['DataError', 'TypeError'].includes(String(getField(error, 'name')));

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

/**
 * Returns the client of an opaque token. The issuer's introspection answer is checked like the claims of a JWT.
 * @throws Rejection `unauthenticated` if the token is not valid, `auth_provider_unavailable`, or as the source does.
 */
export type OpaqueVerifier = (token: string, digest: string, source: TokenOrigin | undefined) => Promise<Client>;

/** Undefined if no issuer introspects opaque tokens. */
export function createOpaqueVerifier(issuers: readonly JwtSettings[], now: () => number): OpaqueVerifier | undefined {
  const settings = issuers.find(({ introspection }) => introspection?.isFor('opaque'));
  if (!settings?.introspection) return undefined;
  const { introspection } = settings;
  return async (token, digest, source) => {
    const claims = await introspection.introspect(token, digest, source);
    if (!claims) throw unauthorized('inactive');
    if (!hasTextClaims(claims)) throw unauthorized('malformed_token');
    settings.clock.see(claims, now() / 1000);
    const problem = findTokenProblem({ claims }, settings, now() / 1000);
    if (problem) throw unauthorized(problem);
    return qualifyClient(toClient(claims, settings), settings, issuers);
  };
}

/** The rules for accepting tokens of an issuer, without the signature. */
export interface TokenRules {
  readonly issuer: string;
  /** The token must have one of them. */
  readonly audience: string | readonly string[];
  /** The claims that may have the audience. Default: `aud`. */
  readonly audienceClaims?: readonly string[] | undefined;
  readonly algorithms: readonly string[];
  /** The accepted difference to the issuer's clock in seconds. */
  readonly clockTolerance: number;
  /** The accepted `typ` headers, e.g. `at+jwt` (RFC 9068). Absent: any or none. */
  readonly typ?: string | readonly string[] | undefined;
  /** Claims that must have exactly this value. */
  readonly requiredClaims?: Readonly<Record<string, string>> | undefined;
  /** The maximum age of a token in seconds, even if it expires later. */
  readonly maxTokenAge?: number | undefined;
  /**
   * If present, only tokens that an application got for itself are accepted. The value selects the provider's
   * conventions.
   */
  readonly applicationsOf?: ProviderKind | undefined;
  /** The clients whose tokens are accepted; absent: all. */
  readonly clients?: readonly string[] | undefined;
}

/** A decoded token that is not verified. */
export interface DecodedToken {
  /** Undefined for an opaque token. Its claims are those of the introspection answer. */
  readonly header?: ProtectedHeaderParameters | undefined;
  readonly claims: JWTPayload;
}

/** The header and the claims of a JWT. Undefined if the token is not a JWT. */
export function decodeToken(token: string): DecodedToken | undefined {
  try {
    const claims = decodeJwt(token);
    return hasTextClaims(claims) ? { header: decodeProtectedHeader(token), claims } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * RFC 7519, 4.1: these claims are strings. An object as the subject would have the same name in the audit trail for
 * everybody.
 */
const hasTextClaims = (claims: JWTPayload): boolean =>
  ['iss', 'sub', 'jti'].every((name) => claims[name] === undefined || typeof claims[name] === 'string');

const toSeconds = (claim: unknown): number => (typeof claim === 'number' ? claim : Number.NaN);

/** RFC 7515, 4.1.9: `application/` may be omitted. */
const normalizeType = (type: unknown): string =>
  String(type)
    .toLowerCase()
    .replace(/^application\//, '');

/** The problems that are visible without a key. */
export type ClaimProblem = Exclude<TokenProblem, 'malformed_token' | 'unknown_key' | 'bad_signature' | 'inactive'>;

type TokenCheck = (token: DecodedToken, rules: TokenRules, now: number) => boolean;

/** In the order in which an operator would check. Each returns true if the token passes. */
const checks: readonly (readonly [ClaimProblem, TokenCheck])[] = [
  ['wrong_issuer', ({ claims }, { issuer }) => claims.iss === issuer],
  [
    'wrong_type',
    ({ header, claims }, { typ }) =>
      header
        ? typ === undefined || toList(typ).map(normalizeType).includes(normalizeType(header.typ))
        : isAccessToken(claims),
  ],
  ['wrong_algorithm', ({ header }, { algorithms }) => !header || algorithms.includes(String(header.alg))],
  [
    'wrong_audience',
    ({ claims }, { audience, audienceClaims = ['aud'] }) =>
      audienceClaims.flatMap((name) => toList(claims[name])).some((each) => toList(audience).includes(each)),
  ],
  [
    'wrong_claim',
    ({ claims }, { requiredClaims = {} }) =>
      Object.entries(requiredClaims).every(([name, value]) => claims[name] === value),
  ],
  ['no_expiry', ({ claims }) => Number.isFinite(toSeconds(claims.exp))],
  ['expired', ({ claims }, { clockTolerance }, now) => !(toSeconds(claims.exp) <= now - clockTolerance)],
  [
    'not_yet_valid',
    ({ claims }, { clockTolerance }, now) => claims.nbf === undefined || toSeconds(claims.nbf) <= now + clockTolerance,
  ],
  [
    'too_old',
    ({ claims }, { maxTokenAge, clockTolerance }, now) =>
      maxTokenAge === undefined || now - toSeconds(claims.iat) <= maxTokenAge + clockTolerance,
  ],
  // RFC 7800: only the owner of a key may use the token. Puente does not check such a key.
  ['bound_token', ({ claims }) => claims.cnf === undefined],
  [
    'user_token',
    ({ claims }, { applicationsOf }) => applicationsOf === undefined || isApplicationToken(claims, applicationsOf),
  ],
  [
    'client_not_listed',
    ({ claims }, { clients }) => clients === undefined || clients.includes(findClientName(claims) ?? ''),
  ],
  // The last check. If a token fails only this one, its signature is checked too: a genuine token reveals the issuer's
  // clock.
  [
    'issued_ahead',
    ({ claims }, { clockTolerance }, now) => claims.iat === undefined || toSeconds(claims.iat) <= now + clockTolerance,
  ],
];

/**
 * RFC 7662 allows other active tokens, such as refresh tokens. Some servers distinguish them by one of these claims.
 */
const isAccessToken = ({ token_type: type = 'bearer', token_use: use = 'access' }: JWTPayload): boolean =>
  /^(bearer|access_token)$/i.test(String(type)) && /^access(_token)?$/i.test(String(use));

/** All checks with their results. `now` is in seconds since 1970. */
export const listTokenChecks = (token: DecodedToken, rules: TokenRules, now: number) =>
  checks.map(([problem, passes]) => ({ problem, passes: passes(token, rules, now) }));

/** The first failed check. */
const findTokenProblem = (token: DecodedToken, rules: TokenRules, now: number): TokenProblem | undefined =>
  listTokenChecks(token, rules, now).find(({ passes }) => !passes)?.problem;
