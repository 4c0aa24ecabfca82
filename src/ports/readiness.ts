import type { Examination, Finding } from './finding.ts';

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
   * Looks at everything that an operator may have to mend, in the order in which to mend it, and changes nothing; optional.
   * What the lists of the ports show is not part of it. Only `puente doctor` asks for it, never a gateway.
   */
  examine?(examination: Examination): AsyncIterable<Finding>;
}
