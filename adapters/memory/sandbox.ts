import type { Call, Instant } from '../../src/ports/index.ts';

type Ports = Readonly<Record<string, object>>;
/** A method of a port, whose last argument is the call. */
type Method = (...given: unknown[]) => unknown;

/** A hospital in memory that can be brought back to its start, and whose now can be moved. */
export class SandboxHospital<P extends Ports = Ports> {
  /** On the data that is there when they are called, at the hospital's now. */
  readonly ports: P;
  readonly #open: (now: Instant) => P;
  #current: P;
  /** Milliseconds by which its now is ahead of real time. */
  #ahead = 0;
  #resets = 0;

  /** @param open makes the ports on data as it is at the start, whose relative days count from then. */
  constructor(open: (now: Instant) => P) {
    this.#open = open;
    this.#current = open(this.now().toISOString());
    const delegate =
      (port: string, method: string): Method =>
      (...given) => {
        const call = given.at(-1) as Call;
        const now = new Date(Date.parse(call.now) + this.#ahead).toISOString();
        const methods = this.#current[port] as Readonly<Record<string, Method>>;
        return methods[method]!(...given.slice(0, -1), { ...call, now });
      };
    this.ports = Object.fromEntries(
      Object.entries(this.#current).map(([port, methods]) => [
        port,
        Object.fromEntries(Object.keys(methods).map((method) => [method, delegate(port, method)])),
      ]),
    ) as P;
  }

  now(): Date {
    return new Date(Date.now() + this.#ahead);
  }

  /** From now on it is then there, and time goes on. */
  moveTo(moment: Date): void {
    this.#ahead = moment.getTime() - Date.now();
  }

  /** How often it was brought back. */
  get resets(): number {
    return this.#resets;
  }

  /** Brings back the data and the clock of the start. */
  reset(): void {
    this.#ahead = 0;
    this.#resets += 1;
    this.#current = this.#open(this.now().toISOString());
  }
}

const hospitals = new WeakMap<object, SandboxHospital>();

/** The ports of the hospital as an offer, by which `findSandbox` finds it. */
export function offerSandbox<P extends Ports, O extends object>(hospital: SandboxHospital<P>, more: O): P & O {
  const offer = { ...hospital.ports, ...more };
  hospitals.set(offer, hospital);
  return offer;
}

/** The hospital that made this offer, if it is a sandbox. */
export const findSandbox = (offer: object): SandboxHospital | undefined => hospitals.get(offer);
