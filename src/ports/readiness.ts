import type { Capability } from './capability.ts';

/** A reason why an adapter cannot do everything that it supports. It names no patient and no secret. */
export interface Impairment {
  /** Stable, for logs and programs, e.g. `backend_not_atomic`. */
  readonly code: string;
  /** One sentence with the fix. */
  readonly detail: string;
  /** For the log: the code of the cause, and the host of the other system that caused it. */
  readonly cause?: string | undefined;
  readonly host?: string | undefined;
}

/** An impairment, and the name of its adapter. The name is absent for an impairment of the gateway. */
export interface AdapterImpairment extends Impairment {
  readonly adapter?: string | undefined;
}

/** An adapter's report about its backend and itself. */
export interface Report {
  /** The kind of the backend, by the adapter's own name for it, e.g. `hapi`. Absent until it is known. */
  readonly backend?: string | undefined;
  /** Empty if the adapter is fully ready. */
  readonly impairments: readonly Impairment[];
}

/**
 * The readiness of an adapter as far as it depends on the backend. Optional. The gateway asks at its start and then
 * every 15 seconds, and shows every impairment at `/readyz`. An impairment never prevents a start.
 */
export interface Readiness {
  /**
   * Asks the backend each time, as cheaply as possible. With `readsOnly`, for `puente doctor`, it writes nothing there.
   */
  report(signal: AbortSignal, options?: { readonly readsOnly?: boolean }): Promise<Report>;
  /** Calls the listener after each event that may change the report. Optional. */
  onSurprise?(listener: () => void): void;
  /**
   * Examines everything that an operator may have to repair, in the order of the repairs, and changes nothing.
   * Optional. It does not report the records that lists omit. Only `puente doctor` calls it, never a gateway.
   */
  examine?(examination: Examination): AsyncIterable<Finding>;
}

/** The result of one examination step. It names no patient and no secret. Of a record it has at most the id. */
export interface Finding {
  /** The name of the step, a few constant words, e.g. `TLS certificate`. */
  readonly check: string;
  /** Null if the step was impossible, or if the operator has to decide. */
  readonly ok: boolean | null;
  /** The result, as one sentence without a full stop. */
  readonly detail: string;
  /** The operator's next action, in the same form. */
  readonly fix?: string;
  /** The other steps of this adapter are impossible until this one succeeds. */
  readonly stops?: true;
}

/** The scope of an examination. */
export interface Examination {
  readonly signal: AbortSignal;
  /**
   * The capabilities that the gateway takes from this adapter. A missing requirement of other capabilities is not a
   * fault.
   */
  readonly uses: ReadonlySet<Capability>;
  /** Patients whose records may be read. Absent: none. */
  readonly patients?: readonly string[];
  /** An invented patient, whose record may be changed if the same transaction undoes the change. Absent: none. */
  readonly inventedPatient?: string | undefined;
}
