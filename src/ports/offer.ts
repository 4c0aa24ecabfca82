import { type Capability, capabilities, type PortName, type PortOf, splitCapability } from './capability.ts';
import type { Readiness } from './readiness.ts';

/** A method as a function: the compiler compares the arguments of functions strictly, and those of methods not. */
type Strict<F> = F extends (...given: infer G) => infer R ? (...given: G) => R : never;

/** The methods of a port that an adapter offers, in an object or in an instance of a class. */
type OfferedMethods<N extends PortName> = { readonly [M in keyof PortOf<N>]?: Strict<PortOf<N>[M]> };

/** The ids that a path carries: 1 to 128 visible characters, without white space and `/ \ ? # %`, and neither `.` nor `..`. */
export const idPattern = /^(?!\.{1,2}$)[^\s/\\?#%\p{C}]{1,128}$/u;

/**
 * What an adapter offers. Ports and methods that are left out are not offered: they answer 501. Ids are texts of its own. Those
 * that are not as `idPattern` has them are answered before any port is called, so map yours where they differ. Ids that differ
 * in the case of a letter are two.
 */
export type Offer = { readonly [N in PortName]?: OfferedMethods<N> } & {
  readonly readiness?: Readiness;
  /**
   * Writes that may be called again when nobody knows what became of the first call: with the same arguments and the
   * same `Call.idempotencyKey` such a write answers as the first time, and creates nothing twice. A change may be made over
   * what somebody else changed meanwhile, and a removal be `not_found`, which the caller is told as done. A write that is
   * not named here is never sent again.
   */
  readonly retryableWrites?: readonly Capability[];
  /** What `puente check` says of it, e.g. which method it does not offer, and why; one line each, without a secret. */
  readonly notes?: readonly string[];
  /** Lets go of what the adapter holds. Called once, when the gateway stops. */
  close?(): Promise<void>;
};

/** The methods that are there, own or inherited. */
export const listOffered = (offer: Offer): Capability[] =>
  capabilities.filter((capability) => {
    const [name, method] = splitCapability(capability);
    const port = offer[name];
    return port !== undefined && typeof Reflect.get(port, method) === 'function';
  });
