import type { Instant } from './time.ts';

/** What every port method is told about the request it serves. It carries no patient data. */
export interface Call {
  /** The request id that the caller sees in `X-Request-Id`; send it on to the backend as a correlation id. */
  readonly requestId: string;
  /** What tells the authenticated client from all others, its name as a rule; never a token. */
  readonly client: string;
  /** The moment the gateway received the request. Judge "past", "future" and ages by it, never by a clock of your own. */
  readonly now: Instant;
  /** Aborts at the deadline, and of a read when its caller hangs up. A write goes on then. Pass it to every outside call. */
  readonly signal: AbortSignal;
  /** Milliseconds until `signal` aborts at the latest. Give one outside call of a read at most half of it, so that it can be tried again. */
  timeLeft?(): number;
  /**
   * What the caller sent as `Idempotency-Key`, when it did. The gateway calls a write once under a key of one client, and
   * again only when the outcome was lost and `Offer.retryableWrites` names it. A booking, a ticket and a request for a change that
   * it names happen once under a key; with another content it is an `invalid` `idempotency_key_reused` at `idempotencyKey`.
   * A coverage and a relative that are given again with the same content are the same ones.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * The versions of which the record that is changed must have one, from the caller's `If-Match`. Absent: any will do. An adapter
   * whose records have no versions does not look at it.
   */
  readonly ifMatch?: readonly string[] | undefined;
  /** An earlier call with this key may have taken effect. Absent when the gateway knows of none: it may have forgotten it. */
  readonly resumed?: true;
  /**
   * Tells that a list is answered without a record that the backend has and that cannot be shown. The caller learns how many
   * there are, the log and `/readyz` of what kind. A record that is asked for alone is a `bad_answer` instead.
   * @param id the backend's own id of the record, or an object that stands for a record without one: a record that is told
   *   twice counts once. A gateway only compares it; `puente doctor` shows it to an operator.
   */
  omit(record: OmittedRecord, id?: string | object): void;
  /**
   * Tells that what is shown or changed is also a record of this patient, whom neither the request nor the answer names: e.g. the
   * one into whom the patient of the request was merged. The audit trail then has both.
   */
  concerns?(patientId: string): void;
}

/** What cannot be shown of the backend's data. It names no patient: only the kind of the record and of its fault. */
export interface OmittedRecord {
  /** The backend's own word for the kind of record, e.g. `Appointment`. */
  readonly resourceType: string;
  /** The element that does not fit, without positions in lists, e.g. `participant/actor`. */
  readonly element: string;
}
