import { Rejection } from '../api/index.ts';

/** The problems of a token, each with the operator's next step in Markdown. Links begin at the root of the repository. */
export const tokenProblems = {
  malformed_token: 'the JWT cannot be parsed: check whether a proxy truncates it',
  wrong_issuer: '`iss` differs: copy `iss` exactly to `issuer`, including a trailing slash, realm, tenant and version',
  wrong_type: '`typ` differs: set `preset` or `typ`, and check that the platform does not send an ID token',
  wrong_algorithm: 'the algorithm is not in `algorithms`: add it, unless it is `none` or `HS...`',
  wrong_audience: 'the token is for another audience: configure the provider to put `audience` into its tokens',
  wrong_claim: 'a claim differs from `requiredClaims`: send an access token instead of an ID token',
  no_expiry: '`exp` is missing: configure the provider to issue tokens that expire',
  expired: '`exp` has passed: get a new token, or compare the clocks (`clockTolerance`)',
  not_yet_valid: '`nbf` is in the future: get a new token, or compare the clocks (`clockTolerance`)',
  too_old: '`iat` is missing, or older than `maxTokenAge`: get a new token',
  issued_ahead: '`iat` is in the future: synchronize both clocks by NTP',
  bound_token: '`cnf` binds the token to a key (DPoP, mTLS): issue bearer tokens for this audience',
  user_token:
    'the token may belong to a user: use `client_credentials`, set `preset`, or unset [`applicationsOnly`](docs/how-to/identity.md#which-clients-are-accepted)',
  client_not_listed: 'the client is not in `clients`: add it',
  inactive: 'the provider reports the token as not active: get a new token, or check `introspection.endpoint`',
  unknown_key: 'no key of the issuer matches the token: correct `jwksUri` or `jwksFile`, or get a new token',
  bad_signature: 'no key of the issuer verifies the signature: correct `jwksUri` or `jwksFile`, or get a new token',
} as const satisfies Readonly<Record<string, string>>;

export type TokenProblem = keyof typeof tokenProblems;

/** The other reasons for refusing a request, in the same way. */
export const otherReasons = {
  no_token: 'there is no `Authorization` header: configure the platform to send `Authorization: Bearer` and a token',
  not_bearer: 'the `Authorization` header is not `Bearer` and a token: configure the platform to send it so',
  too_long: 'the token is longer than `auth.maxTokenLength`: reduce the groups or roles in it, or raise the limit',
  unknown_token:
    'not a JWT and not a token of Puente, or no issuer is configured: set `auth.jwt` or `introspection`, let the provider issue JWTs, or use `token create`',
  not_asked: 'too many tokens from this address were rejected: find the client that sends them',
  scope_missing:
    'the token lacks the scope that `refused` names: grant it, or set `scopeClaim`, `scopePrefix` or `scopeMap`; `scopesFound` shows where the token has scopes',
} as const satisfies Readonly<Record<string, string>>;

/** The reason for refusing a request. It is for the log and the operator, never for the caller. */
export type RefusalReason = TokenProblem | keyof typeof otherReasons;

/**
 * Creates the rejection of a request without a valid token. The caller does not learn which check failed. RFC 6750,
 * section 3.
 */
export function unauthorized(reason: RefusalReason): Rejection {
  const challenge = reason === 'no_token' ? 'Bearer realm="puente"' : 'Bearer realm="puente", error="invalid_token"';
  return new Rejection('unauthenticated', { headers: { 'WWW-Authenticate': challenge } }, reason);
}

export interface RefusalCount {
  readonly reason: string;
  /** The scope that the token lacks, for `scope_missing`. */
  readonly scope?: string | undefined;
  readonly count: number;
}

/** Counts refused requests by reason since the start. */
export class Refusals {
  readonly #counts = new Map<string, RefusalCount>();

  /** By reason and scope, in the order of their first occurrence. */
  get counts(): readonly RefusalCount[] {
    return [...this.#counts.values()];
  }

  add(reason: string, scope?: string): void {
    const key = `${reason} ${scope}`;
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { reason, scope, count });
  }
}
