import type { PortName, PortOf } from '../../../src/ports/index.ts';

/** Every port of an adapter. */
export type Ports = { readonly [N in PortName]: PortOf<N> };

/** A fault of an adapter, and the case that catches it. */
export interface PortFault {
  readonly name: string;
  /** The ports that are at fault. */
  readonly plant: (ports: Ports) => Partial<Ports>;
  readonly caughtBy: string;
  /** The institution's zone, if a zone shows the fault. Default: that of the sandbox. */
  readonly timeZone?: string;
  /** How the title of that case names it. */
  readonly named: RegExp;
}

/** The port with some methods in place of its own. */
export const replace = <P extends object>(port: P, methods: Partial<P>): P =>
  new Proxy(port, {
    get: (target, key) => {
      const method: unknown = Reflect.get(methods, key) ?? Reflect.get(target, key);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
