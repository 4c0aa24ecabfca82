import type { Capability } from '../ports/index.ts';
import type { Subject } from './subject.ts';

/**
 * What a case does to the institution. `safe` reads. `write` leaves behind records of invented patients. `destructive`
 * also takes appointment slots that somebody else could have had.
 */
export type Level = 'safe' | 'write' | 'destructive';

interface Claim {
  /** Stable, e.g. `patients.get.unknown`. */
  readonly id: string;
  /** A sentence of the specification. */
  readonly title: string;
  readonly level: Level;
  /** What it proves. */
  readonly needs: Capability;
  /** What it stands on besides; without them it is skipped. */
  readonly also?: readonly Capability[];
  /** Of the API document. */
  readonly section: '4.A' | '4.B' | '3' | '8';
}

/** One promise, proved by requests alone, in process or over HTTP. @throws AssertionError when it is broken. */
export interface Case extends Claim {
  readonly run: (subject: Subject) => Promise<void>;
}
