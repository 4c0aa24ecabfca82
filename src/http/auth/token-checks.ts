import { decodeJwt, decodeProtectedHeader, type JWTPayload, type ProtectedHeaderParameters } from 'jose';
import type { TokenProblem } from './refusal.ts';

/** Which tokens of an issuer are accepted, whatever their signature. */
export interface TokenRules {
  readonly issuer: string;
  /** One of them has to be there. */
  readonly audience: string | readonly string[];
  /** The claims in which the audience may be; default: `aud`. */
  readonly audienceClaims?: readonly string[] | undefined;
  readonly algorithms: readonly string[];
  /** Seconds by which the issuer's clock may differ from ours. */
  readonly clockTolerance: number;
  /** The `typ` headers of which a token has one, e.g. `at+jwt` (RFC 9068); absent: any, or none. */
  readonly typ?: string | readonly string[] | undefined;
  /** Claims that must have exactly this value. */
  readonly requiredClaims?: Readonly<Record<string, string>> | undefined;
  /** Seconds after which a token is too old, whenever it expires. */
  readonly maxTokenAge?: number | undefined;
}

/** A token that was read, and not verified. */
export interface DecodedToken {
  readonly header: ProtectedHeaderParameters;
  readonly claims: JWTPayload;
}

/** The header and the claims of a JWT; undefined when it is none. */
export function decodeToken(token: string): DecodedToken | undefined {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch {
    return undefined;
  }
}

export const toList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

const toSeconds = (claim: unknown): number => (typeof claim === 'number' ? claim : Number.NaN);

/** RFC 7515, 4.1.9: `application/` may be left out. */
const normalizeType = (type: unknown): string =>
  String(type)
    .toLowerCase()
    .replace(/^application\//, '');

/** What can be seen without a key. */
export type ClaimProblem = Exclude<TokenProblem, 'malformed_token' | 'unknown_key' | 'bad_signature'>;

type Check = (token: DecodedToken, rules: TokenRules, now: number) => boolean;

/** In the order in which an operator would look. Each is true when all is well. */
const checks: readonly (readonly [ClaimProblem, Check])[] = [
  ['wrong_issuer', ({ claims }, { issuer }) => claims.iss === issuer],
  [
    'wrong_type',
    ({ header }, { typ }) => typ === undefined || toList(typ).map(normalizeType).includes(normalizeType(header.typ)),
  ],
  ['wrong_algorithm', ({ header }, { algorithms }) => algorithms.includes(String(header.alg))],
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
  // RFC 7800: it may be used only by who has a key, which is not checked here.
  ['bound_token', ({ claims }) => claims.cnf === undefined],
];

/** Every check, and whether the token passes it. `now` is in seconds since 1970. */
export const checkToken = (token: DecodedToken, rules: TokenRules, now: number) =>
  checks.map(([problem, passes]) => ({ problem, passes: passes(token, rules, now) }));

/** The first check that the token does not pass. */
export const findTokenProblem = (token: DecodedToken, rules: TokenRules, now: number): TokenProblem | undefined =>
  checks.find(([, passes]) => !passes(token, rules, now))?.[0];
