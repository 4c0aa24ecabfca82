import type { Operation } from '../api/index.ts';
import type { Capability, PortName, Readiness } from '../ports/index.ts';
import type { FindOwner } from './ownership.ts';

/** The adapters that configuration names, ready to work as one. */
export interface Composition {
  /** Every operation, with the routes that configuration gives to Group B. */
  readonly operations: readonly Operation[];
  /** What is offered of a port, by whichever adapters have it; undefined when that is nothing. */
  port(name: PortName): unknown;
  /** The default adapter, and those after it that configuration names for a port. */
  readonly adapters: readonly ComposedAdapter[];
  /** The name of the adapter that has a method, whether it offers it or not. */
  readonly findOwner: FindOwner;
  readonly supports: ReadonlySet<Capability>;
  /** The writes that may be sent again when their outcome is unknown. */
  readonly retryableWrites: ReadonlySet<Capability>;
  /** What the adapters say of themselves, one line each, with the name of the adapter. */
  readonly notes: readonly string[];
  /** What is valid but probably unintended, one line each. */
  readonly warnings: readonly string[];
}

export interface ComposedAdapter {
  readonly name: string;
  /** Undefined when it has nothing to find out. */
  readonly readiness: Readiness | undefined;
}
