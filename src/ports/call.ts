import type { Instant } from './time.ts';

/** The context of a request, for every port method. It carries no patient data. */
export interface Call {
  /** The request id that the caller sees in `X-Request-Id`. Send it to the backend as a correlation id. */
  readonly requestId: string;
  /** Identifies the authenticated client, usually by its name. Never a token. */
  readonly client: string;
  /** The moment the gateway received the request. Determine "past", "future" and ages by it, never by another clock. */
  readonly now: Instant;
  /**
   * Aborts before the deadline: after three quarters of the time, and at most two seconds before its end. The adapter uses
   * the rest to report whether it has sent a write. For a read, it also aborts when the caller disconnects; a write
   * continues. Pass it to every outside call.
   */
  readonly signal: AbortSignal;
  /**
   * Milliseconds until `signal` aborts at the latest. Give one outside call of a read at most half of them. A retry
   * then has time.
   */
  timeLeft?(): number;
  /**
   * The caller's `Idempotency-Key`, if present. The gateway calls a write once for each key of a client. It calls again
   * only if the outcome was lost and `Offer.retryableWrites` names the write. A booking, a ticket or a change request
   * named there happens once for each key. With the same key and other content, it fails with `invalid`
   * `idempotency_key_reused` at `idempotencyKey`. A coverage or relative that is created again with the same content is
   * the same record.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * The versions in the caller's `If-Match`. The record to change must have one of them. Absent: any version is
   * accepted. An adapter without record versions ignores it.
   */
  readonly ifMatch?: readonly string[] | undefined;
  /**
   * An earlier call with this key may have taken effect. Absent if the gateway knows of none; it may have forgotten
   * one.
   */
  readonly resumed?: true;
  /**
   * Reports that a list omits a record of the backend that cannot be shown. The caller learns the number of such
   * records; the log and `/readyz` have their kind. A single record that cannot be shown is a `bad_answer` instead.
   * @param id the backend's own id of the record, or an object that identifies a record without one. A record that is
   * reported twice counts once. The gateway only compares it; `puente doctor` shows it to an operator.
   */
  omit(record: OmittedRecord, id?: string | object): void;
  /**
   * Reports that the shown or changed record is also one of this patient. Neither the request nor the answer names the
   * patient. An example is the survivor of a merger. The audit trail then has both patients.
   */
  concerns?(patientId: string): void;
}

/** The kind of a backend record that cannot be shown, and of its fault. It names no patient. */
export interface OmittedRecord {
  /** The backend's name for the kind of record, e.g. `Appointment`. */
  readonly resourceType: string;
  /** The element that does not fit, without positions in lists, e.g. `participant/actor`. */
  readonly element: string;
}
