/**
 * The reason why a port method failed.
 *
 * - `invalid`: the request names something that does not exist or breaks a rule; name the field in `at`.
 * - `not_found`: the resource of the path does not exist.
 * - `conflict`: the state of the institution's data forbids it now.
 * - `unsupported`: this adapter does not offer it.
 * - `unavailable`: the backend cannot be reached, rejects the gateway, or fails.
 * - `timeout`: the deadline passed before the backend answered a read, or before a write was sent.
 * - `bad_answer`: the backend's answer cannot be understood.
 * - `outcome_unknown`: a write was sent, and its outcome is unknown.
 * - `overloaded`: the backend or the gateway has too many requests; the same request may succeed later.
 */
export type FailureKind =
  | 'invalid'
  | 'not_found'
  | 'conflict'
  | 'unsupported'
  | 'unavailable'
  | 'timeout'
  | 'bad_answer'
  | 'outcome_unknown'
  | 'overloaded';

/** Details of a failure in addition to its kind and its sentence. */
export interface FailureDetails {
  /** A stable snake_case code, more precise than the kind, e.g. `slot_taken`. Default: the kind's own code. */
  readonly code?: string | undefined;
  /**
   * The field of the port's argument that is at fault, by its name in the port, e.g. `serviceId` or `fields/0/value`.
   */
  readonly at?: string | undefined;
  /** Seconds that the caller should wait before another attempt. */
  readonly retryAfter?: number;
  /** The underlying error. Only its `code` is ever logged, and no part of it is ever sent. */
  readonly cause?: unknown;
}

/**
 * The only error that a port may reject with. Any other error is a bug and returns 500.
 *
 * The caller receives the message of an `invalid`, `not_found`, `conflict` or `unsupported` failure: explain the fault
 * in a sentence without a value of a patient. The messages of the other kinds never leave the gateway.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly code: string | undefined;
  readonly at: string | undefined;
  readonly retryAfter: number | undefined;

  /** Accepts failures of another copy of this class: an adapter from another package may have its own copy. */
  static override [Symbol.hasInstance](value: unknown): value is Failure {
    return value instanceof Error && value.name === 'Failure' && 'kind' in value;
  }

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.code = details.code;
    this.at = details.at;
    this.retryAfter = details.retryAfter;
  }
}

/** @throws Failure invalid `idempotency_key_reused`: see `Call.idempotencyKey`. */
export function throwKeyReused(): never {
  throw new Failure('invalid', 'the key was used for a request with another path or another body', {
    code: 'idempotency_key_reused',
    at: 'idempotencyKey',
  });
}
