import type { LogEventName } from './log-events.ts';

/** The fields that a log line may have. Deliberately, no field is for a patient, a token, a URL or free text. */
export interface LogFields {
  /** The response's `X-Request-Id`: the caller's own id if it sent one. Ask platforms to send random ids. */
  readonly requestId?: string | undefined;
  /** The application of the token. */
  readonly client?: string | undefined;
  /** The operationId. */
  readonly operation?: string | undefined;
  /** The route template, such as `GET /patients/{id}`, never a URL. `*` if no route matched. */
  readonly route?: string | undefined;
  /** The status of the response. 499 if the caller disconnected before the response. */
  readonly status?: number | undefined;
  /** The duration in milliseconds. */
  readonly ms?: number | undefined;
  /** The adapter that owns the operation. In `listening`, the default adapter. */
  readonly adapter?: string | undefined;
  /** The owners of other ports or methods, such as `tickets=local`. */
  readonly ports?: readonly string[] | undefined;
  /** The kind of system behind the adapter, by the adapter's own name for it, such as `hapi`. */
  readonly backend?: string | undefined;
  /** The code of the caller's problem, such as `slot_taken`, or of an impairment. */
  readonly code?: string | undefined;
  /**
   * The code of the underlying error, such as `ECONNREFUSED`, or
   * [the reason for rejecting the token](docs/how-to/identity.md#when-a-token-is-refused). With `rate_limited`,
   * `too_many_at_once` is the limit of simultaneous requests.
   */
  readonly cause?: string | undefined;
  /** The cause as the institution's system reports it: its own code, and words of a fixed vocabulary. Never a value. */
  readonly said?: string | undefined;
  /** The meaning of the cause for an operator. */
  readonly hint?: string | undefined;
  /** The invalid element of an adapter's response, such as `patients/0/birth_date`, never its value. */
  readonly at?: string | undefined;
  /** The kind of the records that a list omits. */
  readonly resourceType?: string | undefined;
  /** The element that is invalid in these records. */
  readonly element?: string | undefined;
  /** The number of records. */
  readonly count?: number | undefined;
  /** The port of a circuit, such as `patients`. */
  readonly port?: string | undefined;
  /** The class of operations of a circuit, such as `read`. */
  readonly class?: string | undefined;
  /** Lines of Puente's own code, for an unhandled error. */
  readonly stack?: readonly string[] | undefined;
  /** The address that the gateway listens on. */
  readonly address?: string | undefined;
  /** The host and port of a login or an issuer, as in the configuration. */
  readonly host?: string | undefined;
  /** The end of a chain of the audit trail, with its signature. */
  readonly head?: string | undefined;
  /** The signal that ends the process. */
  readonly signal?: string | undefined;
  /** The version of this build. */
  readonly version?: string | undefined;
  /** The reloaded keys of the configuration. */
  readonly changed?: readonly string[] | undefined;
  /** The changed keys that need a restart. */
  readonly restart?: readonly string[] | undefined;
  /** The problems of the configuration, each with its line and without the value. */
  readonly problems?: readonly string[] | undefined;
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** The log of the gateway. One call writes one line. */
export abstract class Log {
  abstract write(level: LogLevel, event: LogEventName, fields?: LogFields): void;
}
