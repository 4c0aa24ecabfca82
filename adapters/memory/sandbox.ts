import { z } from 'zod';
import type { Booking, Call, Instant } from '../../src/ports/index.ts';
import { createAppointment } from './appointments.ts';
import type { World } from './world.ts';

type Ports = Readonly<Record<string, object>>;
/** A method of a port, whose last argument is the call. */
type Method = (...given: unknown[]) => unknown;

/** Its data, and the ports on them. */
interface Opened<P extends Ports> {
  readonly ports: P;
  readonly world: World;
}

const castFile = z.object({
  /** What is said of each patient, by id, and the operation that shows it. */
  cast: z.record(z.string(), z.object({ says: z.string(), try: z.string() })),
  /** Ids that lead to the record of another. */
  merged: z.record(z.string(), z.string()),
});

export type Cast = z.output<typeof castFile>['cast'];

/** A hospital in memory that can be brought back to its start, and whose now can be moved. */
export class SandboxHospital<P extends Ports = Ports> {
  /** On the data that is there when they are called, at the hospital's now. */
  readonly ports: P;
  /** Patients for each edge of the API, by id. */
  readonly cast: Cast;
  /** Whether parameters of a query that an operation does not have are refused. */
  readonly strict: boolean;
  readonly #open: (now: Instant) => Opened<P>;
  #current: Opened<P>;
  /** Milliseconds by which its now is ahead of real time. */
  #ahead = 0;

  /**
   * @param open makes the data as it is at the start, whose relative days count from then.
   * @param content of the file with the cast, if there is one.
   */
  constructor(open: (now: Instant) => Opened<P>, content: unknown = { cast: {}, merged: {} }, strict = false) {
    const { cast, merged } = castFile.parse(content);
    this.cast = cast;
    this.strict = strict;
    this.#open = open;
    this.#current = open(this.now().toISOString());
    const survivors = new Map<unknown, string>(Object.entries(merged));
    const follow = (value: unknown, call: Call): unknown => {
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, follow(each, call)]));
      const survivor = survivors.get(value);
      if (survivor === undefined) return value;
      call.concerns?.(survivor);
      return survivor;
    };
    const delegate =
      (port: string, method: string): Method =>
      (...given) => {
        const methods = this.#current.ports[port] as Readonly<Record<string, Method>>;
        const call = given.at(-1) as Call;
        return methods[method]!(...given.slice(0, -1).map((each) => follow(each, call)), this.#move(call));
      };
    this.ports = Object.fromEntries(
      Object.entries(this.#current.ports).map(([port, methods]) => [
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

  /** Brings back the data and the clock of the start. */
  reset(): void {
    this.#ahead = 0;
    this.#current = this.#open(this.now().toISOString());
  }

  /**
   * Books the time for somebody else.
   * @throws Failure as `Appointments.book` promises, for the patient.
   */
  takeSlot(patientId: string, booking: Booking, call: Call): void {
    const { world } = this.#current;
    const appointment = createAppointment(world, patientId, booking, this.#move(call));
    world.appointments.add({ ...appointment, patientId: 'somebody-else' });
  }

  #move(call: Call): Call {
    return { ...call, now: new Date(Date.parse(call.now) + this.#ahead).toISOString() };
  }
}

/** Under this key an offer carries the hospital whose ports it has. */
const ofHospital = Symbol('hospital');

/** The ports of the hospital as an offer, in which `findSandbox` finds it. */
export const offerSandbox = <P extends Ports, O extends object>(hospital: SandboxHospital<P>, more: O): P & O => ({
  ...hospital.ports,
  ...more,
  [ofHospital]: hospital,
});

/** The hospital whose ports the offer has, if it is a sandbox. */
export function findSandbox(offer: object): SandboxHospital | undefined {
  const hospital: unknown = ofHospital in offer ? offer[ofHospital] : undefined;
  return hospital instanceof SandboxHospital ? hospital : undefined;
}
