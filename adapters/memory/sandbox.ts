import { hash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Booking, Call, Instant } from '../../src/ports/index.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import { createAppointment } from './appointments.ts';
import type { World } from './world.ts';

type PortsByName = Readonly<Record<string, object>>;
/** A method of a port, whose last argument is the call. */
type PortMethod = (...given: unknown[]) => unknown;

/** Its data, and the ports on them. */
interface OpenedHospital<P extends PortsByName> {
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

/** A moment with its offset, or a local time of the institution. */
export const momentOrLocalTime = z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ local: true })], {
  error: 'must be a moment such as 2027-06-01T10:00:00-03:00, or a local time such as 2027-06-01T10:00:00',
});

/**
 * What such a text means: of a local time that comes twice the earlier moment.
 * @throws Failure `nonexistent_local_time`.
 */
export function toMoment(text: string, zone: Zone): Date {
  const isLocal = /T[\d:.]+$/.test(text);
  return new Date(isLocal ? zone.toInstant(text.length === 16 ? `${text}:00` : text, 'now') : text);
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function createDraw(seed: string): () => number {
  let state = hash('sha256', seed, 'buffer').readUInt32BE();
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Ids that look random, the same for the same seed. */
function createIds(seed: string): () => string {
  let made = 0;
  return () => hash('sha256', `${seed} ${made++}`).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5');
}

export interface SandboxOptions {
  /** Of the file with the cast, if there is one. */
  readonly content?: unknown;
  /** True if parameters of a query that an operation does not have are refused. */
  readonly strict?: boolean;
  /** Where its clock stands until it is moved; default: it goes with real time. */
  readonly now?: Date | undefined;
  /** Makes the same ids and the same chances at each start and after each reset; default: random ones. */
  readonly seed?: number | undefined;
}

/** A hospital in memory that can be brought back to its start, and whose now can be moved. */
export class SandboxHospital<P extends PortsByName = PortsByName> {
  /** On the data that is there when they are called, at the hospital's now. */
  readonly ports: P;
  /** Patients for each edge of the API, by id. */
  readonly cast: Cast;
  /** True if parameters of a query that an operation does not have are refused. */
  readonly strict: boolean;
  readonly #open: (now: Instant, createId: () => string) => OpenedHospital<P>;
  readonly #start: Pick<SandboxOptions, 'now' | 'seed'>;
  #current: OpenedHospital<P>;
  /** Milliseconds by which its now is ahead of real time. */
  #ahead = 0;
  /** Where its clock stands; undefined while it goes. */
  #frozen: Date | undefined;
  #createRequestId: () => string = randomUUID;
  #draw: () => number = Math.random;

  /** @param open makes the data as it is at the start, whose relative days count from then; `createId` makes ids of new entries. */
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

  /** True if its clock stands until it is moved. */
  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** From now on it is then there; time goes on, unless it was frozen. */
  moveTo(moment: Date): void {
    if (this.#frozen) this.#frozen = moment;
    else this.#ahead = moment.getTime() - Date.now();
  }

  /** Brings back the data, the clock and the chances of the start. */
  reset(): void {
    this.#current = this.#begin();
  }

  /** The id of a request that has none. */
  createRequestId(): string {
    return this.#createRequestId();
  }

  /** A number from 0 up to 1, by which a share of the calls is chosen. */
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
   * Books the time for somebody else.
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

/** Under this key an offer carries the hospital whose ports it has. */
const ofHospital = Symbol('hospital');

/** The ports of the hospital as an offer, in which `findSandbox` finds it. */
export const offerSandbox = <P extends PortsByName, O extends object>(
  hospital: SandboxHospital<P>,
  more: O,
): P & O => ({
  ...hospital.ports,
  ...more,
  [ofHospital]: hospital,
});

/** The hospital whose ports the offer has, if it is a sandbox. */
export function findSandbox(offer: object): SandboxHospital | undefined {
  const hospital: unknown = ofHospital in offer ? offer[ofHospital] : undefined;
  return hospital instanceof SandboxHospital ? hospital : undefined;
}
