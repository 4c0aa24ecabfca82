import type { Capability } from './capability.ts';

/** Something that keeps an adapter from doing all that it supports. Names no patient and no secret. */
export interface Impairment {
  /** Stable, for logs and programs, e.g. `backend_not_atomic`. */
  readonly code: string;
  /** One sentence for people, with the fix. */
  readonly detail: string;
  /** The code of what caused it, and the host of another system that did; for the log. */
  readonly cause?: string | undefined;
  readonly host?: string | undefined;
}

/** An impairment, and the name of the adapter that has it; absent when it is the gateway's own. */
export interface AdapterImpairment extends Impairment {
  readonly adapter?: string | undefined;
}

/** What an adapter found out about its backend and itself. */
export interface Report {
  /** The kind of system that was found, a word of the adapter's own, e.g. `hapi`; absent until it is known. */
  readonly backend?: string | undefined;
  /** Empty when all is well. */
  readonly impairments: readonly Impairment[];
}

/**
 * What an adapter can find out about itself only from its backend. Optional: the gateway asks for it when it starts, and
 * again every 15 seconds, and shows every impairment at `/readyz`. It never stops a start.
 */
export interface Readiness {
  /** Asks the backend, each time and as cheaply as it can; with `readsOnly`, for `puente doctor`, it writes nothing there. */
  report(signal: AbortSignal, options?: { readonly readsOnly?: boolean }): Promise<Report>;
  /** Calls the function whenever something happened after which a report would be another one; optional. */
  onSurprise?(listener: () => void): void;
  /**
   * Looks at everything that an operator may have to mend, in the order in which to mend it, and leaves nothing changed; optional.
   * What the lists of the ports show is not part of it. Only `puente doctor` asks for it, never a gateway.
   */
  examine?(examination: Examination): AsyncIterable<Finding>;
}

/** One thing that was looked at for an operator. It names no patient, no secret, and of a record no more than its id. */
export interface Finding {
  /** What was looked at, in a few words that stay the same, e.g. `TLS certificate`. */
  readonly check: string;
  /** Null when it could not be looked at, or is for the operator to judge. */
  readonly ok: boolean | null;
  /** What was found, in one sentence without a full stop. */
  readonly detail: string;
  /** What to do about it, in the same form. */
  readonly fix?: string;
  /** Nothing else of this adapter can be looked at before this is mended. */
  readonly stops?: true;
}

/** What an adapter is examined for. */
export interface Examination {
  readonly signal: AbortSignal;
  /** What the gateway offers by this adapter: what only others need is no fault. */
  readonly uses: ReadonlySet<Capability>;
  /** Patients whose records may be read; none when absent. */
  readonly patients?: readonly string[];
  /** An invented patient, for whom changes may be made that are undone in the same transaction; none when absent. */
  readonly inventedPatient?: string | undefined;
}
