import type { Capability } from './capability.ts';

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
  /** Fields may be empty for this: nothing is said of those that no record fills. */
  readonly explainsGaps?: true;
  /** Nothing else of this adapter can be looked at before this is mended. */
  readonly stops?: true;
}

/** What an adapter is examined for. */
export interface Examination {
  readonly signal: AbortSignal;
  /** What the gateway offers by this adapter: what only others need is no fault. */
  readonly uses: ReadonlySet<Capability>;
}
