import type { Case, Fixtures, PartialFixtures, Subject } from '../../contract/index.ts';
import type { Capability } from '../../ports/index.ts';
import type { CurlTarget } from './curl.ts';

/** An institution that the contract can be run over, once there are fixtures. */
export interface FoundTarget {
  /** As the reader knows it, e.g. a URL or a configuration file. */
  readonly name: string;
  /** How it is reached, e.g. `over HTTP`. */
  readonly how: string;
  /** Undefined when it does not say what it offers. */
  readonly supports: ReadonlySet<Capability> | undefined;
  /** What the fixtures need not say. */
  readonly institution: Partial<Pick<Fixtures, 'timeZone' | 'locale' | 'bookingHorizonDays'>>;
  /** The fixtures of an institution that comes with Puente. */
  readonly builtIn: Fixtures | undefined;
  /** Whether every case has an institution of its own, which is gone afterwards. */
  readonly forgets: boolean;
  readonly curl: CurlTarget;
  /** Begins a subject for that case, of an institution that offers this. */
  start(testCase: Pick<Case, 'level'>, fixtures: PartialFixtures, supports: ReadonlySet<Capability>): Promise<Subject>;
  close(): Promise<void>;
}
