/**
 * How the system behind an adapter fails: it answers errors to all that it is asked, or nothing, or does what it is asked and the
 * answer to a write is lost.
 */
export type OutageKind = 'errors' | 'silence' | 'lost';

/** How the answer to a write is lost: the connection ends, or a proxy answers 502, or nothing comes. */
export type Loss = 'cut' | 'error' | 'wait';

/** What the author of an adapter does about these is optional: an outage that heeds none of it shows less. */
export interface Errors {
  /** With which status. Default: 500. */
  readonly status?: number;
  /** How many requests are answered before. Default: 0. */
  readonly after?: number;
}

/** Begins an outage of each kind that the author of an adapter can bring about. What is returned ends it. */
export interface Fail {
  readonly errors?: (errors?: Errors) => Promise<() => Promise<void>>;
  readonly silence?: () => Promise<() => Promise<void>>;
  readonly lost?: (loss?: Loss) => Promise<() => Promise<void>>;
  /** How many milliseconds an adapter may take to notice that its system works again. Default: 3,000. */
  readonly recoveryMs?: number | undefined;
}
