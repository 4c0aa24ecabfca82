import { hash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Booking, Call, Instant } from '../../src/ports/index.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import { createAppointment } from './appointments.ts';
import type { World } from './world.ts';

type PortsByName = Readonly<Record<string, object>>;
/** A method of a port, whose last argument is the call. */
type PortMethod = (...given: unknown[]) => unknown;

/** The hospital's data, and the ports on it. */
interface OpenedHospital<P extends PortsByName> {
  readonly ports: P;
  readonly world: World;
}

const castFile = z.object({
  /** A description of each patient, by id, and the operation that demonstrates it. */
  cast: z.record(z.string(), z.object({ says: z.string(), try: z.string() })),
  /** Ids of merged records, with the id of the survivor. */
  merged: z.record(z.string(), z.string()),
});

export type Cast = z.output<typeof castFile>['cast'];

/** A moment with its offset, or a local time of the institution. */
export const momentOrLocalTime = z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ local: true })], {
  error: 'must be a moment such as 2027-06-01T10:00:00-03:00, or a local time such as 2027-06-01T10:00:00',
});

/**
 * Converts such a text to a moment. A local time that occurs twice is the earlier moment.
 * @throws Failure `nonexistent_local_time`.
 */
export function toMoment(text: string, zone: Zone): Date {
  const isLocal = /T[\d:.]+$/.test(text);
  return new Date(isLocal ? zone.toInstant(text.length === 16 ? `${text}:00` : text, 'now') : text);
}

/** Returns numbers from 0 up to, but not including, 1. The same seed gives the same numbers (mulberry32). */
export function createDraw(seed: string): () => number {
  let state = hash('sha256', seed, 'buffer').readUInt32BE();
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Creates ids that look random. The same seed gives the same ids. */
function createIds(seed: string): () => string {
  let made = 0;
  return () => hash('sha256', `${seed} ${made++}`).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5');
}

export interface SandboxOptions {
  /** The content of the file with the cast, if there is one. */
  readonly content?: unknown;
  /** True if a query parameter that the operation does not have is an error. */
  readonly strict?: boolean;
  /** The time at which the clock is frozen until somebody moves it. Default: it follows real time. */
  readonly now?: Date | undefined;
  /** Gives the same ids and the same random numbers at each start and after each reset. Default: random ones. */
  readonly seed?: number | undefined;
}

/** A hospital in memory with a movable clock. It can be reset to its start. */
export class SandboxHospital<P extends PortsByName = PortsByName> {
  /** They use the current data and the hospital's clock. */
  readonly ports: P;
  /** Patients for each edge of the API, by id. */
  readonly cast: Cast;
  /** True if a query parameter that the operation does not have is an error. */
  readonly strict: boolean;
  readonly #open: (now: Instant, createId: () => string) => OpenedHospital<P>;
  readonly #start: Pick<SandboxOptions, 'now' | 'seed'>;
  #current: OpenedHospital<P>;
  /** Milliseconds by which its clock is ahead of real time. */
  #ahead = 0;
  /** The time of a frozen clock. Undefined while the clock runs. */
  #frozen: Date | undefined;
  #createRequestId: () => string = randomUUID;
  #draw: () => number = Math.random;

  /**
   * @param open creates the data of the start, whose relative days count from then. `createId` makes ids of new
   * entries.
   */
  constructor(
    open: (now: Instant, createId: () => string) => OpenedHospital<P>,
    { content = { cast: {}, merged: {} }, strict = false, ...start }: SandboxOptions = {},
  ) {
    const { cast, merged } = castFile.parse(content);
    this.cast = cast;
    this.strict = strict;
    this.#open = open;
    this.#start = start;
    this.#current = this.#begin();
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
      (port: string, method: string): PortMethod =>
      (...given) => {
        const methods = this.#current.ports[port] as Readonly<Record<string, PortMethod>>;
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
    return this.#frozen ?? new Date(Date.now() + this.#ahead);
  }

  /** True if the clock is frozen. */
  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** Moves the clock. It then runs on, unless it was frozen. */
  moveTo(moment: Date): void {
    if (this.#frozen) this.#frozen = moment;
    else this.#ahead = moment.getTime() - Date.now();
  }

  /** Restores the data, the clock and the random numbers of the start. */
  reset(): void {
    this.#current = this.#begin();
  }

  /** Creates the id of a request without one. */
  createRequestId(): string {
    return this.#createRequestId();
  }

  /** Returns a number from 0 up to, but not including, 1, to select a share of the calls. */
  draw(): number {
    return this.#draw();
  }

  #begin(): OpenedHospital<P> {
    const { now, seed } = this.#start;
    this.#ahead = 0;
    this.#frozen = now;
    if (seed !== undefined) {
      this.#createRequestId = createIds(`request ${seed}`);
      this.#draw = createDraw(`chance ${seed}`);
    }
    return this.#open(this.now().toISOString(), seed === undefined ? randomUUID : createIds(`entry ${seed}`));
  }

  /**
   * Books the slot for another patient.
   * @throws Failure as `Appointments.book` promises, for the patient.
   */
  takeSlot(patientId: string, booking: Booking, call: Call): void {
    const { world } = this.#current;
    const appointment = createAppointment(world, patientId, booking, this.#move(call));
    world.appointments.add({ ...appointment, patientId: 'somebody-else' });
  }

  #move(call: Call): Call {
    const now = this.#frozen ?? new Date(Date.parse(call.now) + this.#ahead);
    return { ...call, now: now.toISOString() };
  }
}

/** The key under which an offer has the hospital of its ports. */
const ofHospital = Symbol('hospital');

/** Returns the hospital's ports as an offer that `findSandbox` recognizes. */
export const offerSandbox = <P extends PortsByName, O extends object>(
  hospital: SandboxHospital<P>,
  more: O,
): P & O => ({
  ...hospital.ports,
  ...more,
  [ofHospital]: hospital,
});

/** The hospital of an offer's ports. Undefined if it is not a sandbox. */
export function findSandbox(offer: object): SandboxHospital | undefined {
  const hospital: unknown = ofHospital in offer ? offer[ofHospital] : undefined;
  return hospital instanceof SandboxHospital ? hospital : undefined;
}
