import { decodeJwt, decodeProtectedHeader, type JWTPayload, type ProtectedHeaderParameters } from 'jose';
import { isApplicationToken, type ProviderKind } from './application-token.ts';
import { toList } from './claims.ts';
import { findClientName } from './client-name.ts';
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
  /** Given, a token that an application did not get for itself is refused; it says how this provider shows that. */
  readonly applicationsOf?: ProviderKind | undefined;
  /** The clients whose tokens are accepted; absent: all. */
  readonly clients?: readonly string[] | undefined;
}

/** A token that was read, and not verified. */
export interface DecodedToken {
  /** Undefined of an opaque token, whose claims are what its issuer says of it. */
  readonly header?: ProtectedHeaderParameters | undefined;
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

const toSeconds = (claim: unknown): number => (typeof claim === 'number' ? claim : Number.NaN);

/** RFC 7515, 4.1.9: `application/` may be left out. */
const normalizeType = (type: unknown): string =>
  String(type)
    .toLowerCase()
    .replace(/^application\//, '');

/** What can be seen without a key. */
export type ClaimProblem = Exclude<TokenProblem, 'malformed_token' | 'unknown_key' | 'bad_signature' | 'inactive'>;

type Check = (token: DecodedToken, rules: TokenRules, now: number) => boolean;

/** In the order in which an operator would look. Each is true when all is well. */
const checks: readonly (readonly [ClaimProblem, Check])[] = [
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
  // RFC 7800: it may be used only by who has a key, which is not checked here.
  ['bound_token', ({ claims }) => claims.cnf === undefined],
  [
    'user_token',
    ({ claims }, { applicationsOf }) => applicationsOf === undefined || isApplicationToken(claims, applicationsOf),
  ],
  [
    'client_not_listed',
    ({ claims }, { clients }) => clients === undefined || clients.includes(findClientName(claims) ?? ''),
  ],
  // The last one, so that whose token has this problem alone is looked for the signature: it tells of the issuer's clock.
  [
    'issued_ahead',
    ({ claims }, { clockTolerance }, now) => claims.iat === undefined || toSeconds(claims.iat) <= now + clockTolerance,
  ],
];

/** RFC 7662 lets other tokens be active too, such as refresh tokens; servers tell them apart by one of these, if by any. */
const isAccessToken = ({ token_type: type = 'bearer', token_use: use = 'access' }: JWTPayload): boolean =>
  /^(bearer|access_token)$/i.test(String(type)) && /^access(_token)?$/i.test(String(use));

/** Every check, and whether the token passes it. `now` is in seconds since 1970. */
export const checkToken = (token: DecodedToken, rules: TokenRules, now: number) =>
  checks.map(([problem, passes]) => ({ problem, passes: passes(token, rules, now) }));

/** The first check that the token does not pass. */
export const findTokenProblem = (token: DecodedToken, rules: TokenRules, now: number): TokenProblem | undefined =>
  checkToken(token, rules, now).find(({ passes }) => !passes)?.problem;
