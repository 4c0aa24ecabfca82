import { type Capability, capabilities, type PortName, type PortOf, splitCapability } from './capability.ts';
import type { Readiness } from './readiness.ts';

/** A method as a function. The compiler compares arguments strictly only for functions. */
type Strict<F> = F extends (...given: infer G) => infer R ? (...given: G) => R : never;

/** The methods of a port that an adapter offers, as an object or an instance of a class. */
type OfferedMethods<N extends PortName> = { readonly [M in keyof PortOf<N>]?: Strict<PortOf<N>[M]> };

/**
 * The ids that a path can have: 1 to 128 visible characters, without white space and `/ \ ? # %`, and neither `.` nor
 * `..`.
 */
export const idPattern = /^(?!\.{1,2}$)[^\s/\\?#%\p{C}]{1,128}$/u;

/**
 * The ports and methods that an adapter offers. An operation whose port or method is absent returns 501. Ids are the
 * adapter's own texts, and their case counts. The gateway answers a request whose id does not match `idPattern` without
 * a call of a port: map your ids if they do not match.
 */
export type Offer = { readonly [N in PortName]?: OfferedMethods<N> } & {
  readonly readiness?: Readiness;
  /**
   * Writes that the gateway may call again after an unknown outcome. With the same arguments and the same
   * `Call.idempotencyKey`, such a write returns the first result and creates nothing twice. A repeated change may
   * overwrite a change that somebody else made meanwhile. A repeated removal may be `not_found`; the caller then gets
   * success. The gateway never repeats a write that is not listed here.
   */
  readonly retryableWrites?: readonly Capability[];
  /** The reasons for absent methods, for `puente check` and the operator's page. They have no secrets. */
  readonly notOffered?: { readonly [C in Capability]?: string };
  /** Further lines for `puente check` and the operator's page. They have no secrets. */
  readonly notes?: readonly string[];
  /** Releases the adapter's resources. The gateway calls it once, when it stops. */
  close?(): Promise<void>;
};

/** Lists the methods that are present, own or inherited. */
export const listOffered = (offer: Offer): Capability[] =>
  capabilities.filter((capability) => {
    const [name, method] = splitCapability(capability);
    const port = offer[name];
    return port !== undefined && typeof Reflect.get(port, method) === 'function';
  });
