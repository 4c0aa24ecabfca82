/**
 * Why a port could not do what it was asked.
 *
 * - `invalid`: the request names something that does not exist or breaks a rule; name the field in `at`.
 * - `not_found`: the thing that the path names does not exist.
 * - `conflict`: the state of the institution's data forbids it now.
 * - `unsupported`: this adapter does not offer it.
 * - `unavailable`: the backend cannot be reached, refuses us, or fails.
 * - `timeout`: the deadline passed before the backend answered a read, or before a write was sent.
 * - `bad_answer`: the backend answered something that cannot be understood.
 * - `outcome_unknown`: a write was sent and what became of it is not known.
 * - `overloaded`: the backend or the gateway refuses requests because it has too many; the same request may succeed later.
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

/** What a failure says besides its kind and its sentence. */
export interface FailureDetails {
  /** A stable snake_case code that tells the caller more than the kind does, e.g. `slot_taken`. Default: the kind's own code. */
  readonly code?: string | undefined;
  /** The field of the port's argument that is at fault, in the port's words, e.g. `serviceId` or `fields/0/value`. */
  readonly at?: string | undefined;
  /** How long the caller should wait before it tries again, in seconds. */
  readonly retryAfter?: number;
  /** What went wrong underneath. Only its `code` is ever logged, and nothing of it is ever sent. */
  readonly cause?: unknown;
}

/**
 * The only error that a port may reject with; anything else is a bug and answers 500.
 *
 * The message of an `invalid`, `not_found`, `conflict` or `unsupported` failure is sent to the caller: write a sentence
 * that explains, and put no value of a patient into it. The messages of the other kinds never leave the gateway.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly code: string | undefined;
  readonly at: string | undefined;
  readonly retryAfter: number | undefined;

  /** Also one of another copy of this class: an adapter from another package may have its own. */
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
