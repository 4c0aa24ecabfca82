/** The fields that a log line may have. Deliberately, no field is for a patient, a token, a URL or free text. */
export interface LogFields {
  readonly requestId?: string | undefined;
  readonly client?: string | undefined;
  readonly operation?: string | undefined;
  /** The route template, e.g. `GET /patients/{id}`; never a URL. */
  readonly route?: string | undefined;
  readonly status?: number | undefined;
  readonly ms?: number | undefined;
  readonly adapter?: string | undefined;
  /** The ports, or methods of one, of a further adapter, e.g. `tickets=local`. */
  readonly ports?: readonly string[] | undefined;
  /** The kind of system behind the adapter, by the adapter's own name for it, e.g. `hapi`. */
  readonly backend?: string | undefined;
  /** The stable code of a problem or of its cause, e.g. `slot_taken` or `ECONNREFUSED`. */
  readonly code?: string | undefined;
  readonly cause?: string | undefined;
  /** The cause as the institution's system reports it: its own code, and words of a fixed vocabulary. Never a value. */
  readonly said?: string | undefined;
  /** The meaning of the cause for an operator: a sentence of a table, the same for the same cause. */
  readonly hint?: string | undefined;
  /**
   * The place in a schema where an adapter's answer did not fit, e.g. `patients/0/birth_date`. Never the value there.
   */
  readonly at?: string | undefined;
  /** The kind of a record that a list omits, and its element that did not fit, e.g. `Slot` and `start`. */
  readonly resourceType?: string | undefined;
  readonly element?: string | undefined;
  /** The number of times that the event happened. */
  readonly count?: number | undefined;
  /** The port and the class of operations of a circuit, e.g. `patients` and `read`. */
  readonly port?: string | undefined;
  readonly class?: string | undefined;
  /** Files and lines, for an unhandled error. */
  readonly stack?: readonly string[] | undefined;
  readonly address?: string | undefined;
  /** The host of another system and its port, as in the configuration. */
  readonly host?: string | undefined;
  /** The end of a chain of the audit trail, with its signature. */
  readonly head?: string | undefined;
  readonly signal?: string | undefined;
  readonly version?: string | undefined;
  /** The reloaded keys of the configuration, and the keys that need a restart. */
  readonly changed?: readonly string[] | undefined;
  readonly restart?: readonly string[] | undefined;
  /** The problems of the configuration, each with its line and without the value. */
  readonly problems?: readonly string[] | undefined;
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** The log of the gateway. One call writes one line. */
export abstract class Log {
  /**
   * @param event a few fixed words without values, e.g. `request` or `drain started`; `docs/reference/events.md` lists all
   * events.
   */
  abstract write(level: LogLevel, event: string, fields?: LogFields): void;
}
