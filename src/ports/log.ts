/** Everything a log line may say. There is no field for a patient, a token, a URL or a free text, on purpose. */
export interface LogFields {
  readonly requestId?: string | undefined;
  readonly client?: string | undefined;
  readonly operation?: string | undefined;
  /** The route template, e.g. `GET /patients/{id}`; never a URL. */
  readonly route?: string | undefined;
  readonly status?: number | undefined;
  readonly ms?: number | undefined;
  readonly adapter?: string | undefined;
  /** The ports, or methods of one, that a further adapter has, e.g. `tickets=local`. */
  readonly ports?: readonly string[] | undefined;
  /** The kind of system behind the adapter, one of the adapter's own words, e.g. `hapi`. */
  readonly backend?: string | undefined;
  /** The stable code of a problem, or of what caused it, e.g. `slot_taken` or `ECONNREFUSED`. */
  readonly code?: string | undefined;
  readonly cause?: string | undefined;
  /** What the institution's system says of the cause: its own code, and words of a fixed vocabulary. Never a value. */
  readonly said?: string | undefined;
  /** What the cause means to an operator: a sentence of a table, the same for the same cause. */
  readonly hint?: string | undefined;
  /** Where in a schema an answer of an adapter did not fit, e.g. `patients/0/birth_date`. Never what stood there. */
  readonly at?: string | undefined;
  /** The kind of record that a list left out, and its element that did not fit, e.g. `Slot` and `start`. */
  readonly resourceType?: string | undefined;
  readonly element?: string | undefined;
  /** How many times what the line says happened. */
  readonly count?: number | undefined;
  /** The port and the class of operations that a circuit is for, e.g. `patients` and `read`. */
  readonly port?: string | undefined;
  readonly class?: string | undefined;
  /** Files and lines, for an unhandled error. */
  readonly stack?: readonly string[] | undefined;
  readonly address?: string | undefined;
  /** The host of another system, as the configuration has it, with its port. */
  readonly host?: string | undefined;
  /** The end of a chain of the audit trail, with its signature. */
  readonly head?: string | undefined;
  readonly signal?: string | undefined;
  readonly version?: string | undefined;
  /** Keys of the configuration that were taken over, and those that need a restart. */
  readonly changed?: readonly string[] | undefined;
  readonly restart?: readonly string[] | undefined;
  /** What is wrong with the configuration, with the line of each and without its value. */
  readonly problems?: readonly string[] | undefined;
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Where the gateway says what it does. One call is one line. */
export abstract class Log {
  /** @param event what happened, in a few fixed words without values, e.g. `request` or `drain started`; `docs/events.md` lists all of them. */
  abstract write(level: LogLevel, event: string, fields?: LogFields): void;
}
