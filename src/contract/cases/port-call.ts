import type { Call, Capability } from '../../ports/index.ts';
import type { PortsSubject } from '../ports-subject.ts';

/** How to call a method. */
interface PortCall {
  readonly needs: Capability;
  readonly requires: readonly Capability[];
  /** Calls it with an id, or with several that are all this one; null where it takes no id. */
  readonly callWithId: ((subject: PortsSubject, id: string, call: Call) => Promise<unknown>) | null;
}

/** How to call a method that changes nothing. */
export interface Read extends PortCall {
  /** Asks for something that the fixtures hold. */
  readonly call: (subject: PortsSubject, call: Call) => Promise<unknown>;
}

/** How to call a method that changes something, with what it is given and where the change shows. */
export interface Write extends PortCall {
  /** Finds a patient for the write, or makes one. */
  readonly prepare: (subject: PortsSubject) => Promise<Prepared>;
}

/** A write that was prepared for a patient. */
interface Prepared {
  /** What the caller keeps in hand. */
  readonly given: unknown;
  readonly write: (call: Call) => Promise<unknown>;
  readonly read: (call: Call) => Promise<unknown>;
}
