/** Everything a log line may say. There is no field for a patient, a token, a URL or a free text, on purpose. */
export interface LogFields {
  readonly requestId?: string;
  readonly client?: string;
  readonly operation?: string;
  /** The route template, e.g. `GET /patients/{id}`; never a URL. */
  readonly route?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly adapter?: string;
  /** The ports, or methods of one, that a further adapter has, e.g. `tickets=local`. */
  readonly ports?: readonly string[];
  /** The kind of system behind the adapter, one of the adapter's own words, e.g. `hapi`. */
  readonly backend?: string;
  /** The stable code of a problem, or of what caused it, e.g. `slot_taken` or `ECONNREFUSED`. */
  readonly code?: string;
  readonly cause?: string;
  /** Where in a schema an answer of an adapter did not fit, e.g. `patients/0/birth_date`. Never what stood there. */
  readonly at?: string;
  /** The kind of record that a list left out, and its element that did not fit, e.g. `Slot` and `start`. */
  readonly resourceType?: string;
  readonly element?: string;
  /** How many times what the line says happened. */
  readonly count?: number;
  /** The port and the class of operations that a circuit is for, e.g. `patients` and `read`. */
  readonly port?: string;
  readonly class?: string;
  /** Files and lines of our own code, for an unhandled error. */
  readonly stack?: readonly string[];
  readonly address?: string;
  /** The host of another system, as the configuration has it, with its port. */
  readonly host?: string;
  readonly signal?: string;
  readonly version?: string;
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Where the gateway says what it does. One call is one line. */
export abstract class Log {
  /** @param event what happened, in a few fixed words without values, e.g. `request` or `drain started`; `docs/operate.md` lists all of them. */
  abstract write(level: LogLevel, event: string, fields?: LogFields): void;
}
