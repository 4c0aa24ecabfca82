import { Rejection } from '../api/index.ts';

/** The problem of a token. */
export type TokenProblem =
  | 'malformed_token'
  | 'wrong_issuer'
  | 'wrong_type'
  | 'wrong_algorithm'
  | 'wrong_audience'
  | 'wrong_claim'
  | 'no_expiry'
  | 'expired'
  | 'not_yet_valid'
  | 'too_old'
  | 'issued_ahead'
  | 'bound_token'
  | 'user_token'
  | 'client_not_listed'
  | 'inactive'
  | 'unknown_key'
  | 'bad_signature';

/** The reason for refusing a request. It is for the log and the operator, never for the caller. */
export type RefusalReason =
  | TokenProblem
  | 'no_token'
  | 'not_bearer'
  | 'too_long'
  | 'unknown_token'
  | 'not_asked'
  | 'scope_missing';

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
