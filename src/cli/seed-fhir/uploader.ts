import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Entry } from '../../../adapters/fhir/rest/client.ts';
import type { Caller } from '../../../adapters/fhir/rest/transport.ts';
import { Failure, type FailureKind } from '../../ports/index.ts';
import type { Booking, Seed } from './plan.ts';
import type { ResourceIds } from './resource-ids.ts';

/** Most entries of one transaction, and most bytes: Medplum takes no more (its limits are 50 updates and 1 MB). */
const ENTRIES = 50;
const BYTES = 900_000;
/** Bytes of an entry around its resource, at most. */
const ENVELOPE = 200;

/** Failures after which the server is looked at again and gets what it lacks. */
const transientKinds: ReadonlySet<FailureKind> = new Set([
  'overloaded',
  'unavailable',
  'timeout',
  'outcome_unknown',
  'conflict',
]);
const TRIES = 8;
/** Longest wait between two tries, in seconds, unless the server asks for more. */
const MAX_WAIT = 30;

/** Tells how many of the resources of a step are in the server by now. */
export type Progress = (done: number) => void;

/** Writes what is missing, in transactions, as often as it takes. */
export class Uploader {
  readonly #client: Client;
  readonly #shelf: ResourceIds;
  readonly #caller: Caller;

  constructor(client: Client, shelf: ResourceIds, caller: Caller) {
    this.#client = client;
    this.#shelf = shelf;
    this.#caller = caller;
  }

  /** Finds out which of these the server has. */
  look(seeds: readonly Seed[]): Promise<void> {
    return this.#retry(() => this.#shelf.look(seeds, this.#caller));
  }

  /** Creates those that the server does not have, and says how many they were. */
  async upload(seeds: readonly Seed[], progress: Progress): Promise<number> {
    await this.look(seeds);
    const missing = this.#missing(seeds);
    progress(seeds.length - missing.length);
    const sowings = missing.map((seed) => ({ seed, entry: { create: this.#shelf.draft(seed) } }));
    for (const batch of batches(sowings)) {
      const own = batch.map(({ seed }) => seed);
      await this.#retry(
        () => this.#create(batch.filter(({ seed }) => !this.#shelf.has(seed))),
        () => this.#shelf.look(own, this.#caller),
      );
      progress(seeds.length - this.#missing(seeds).length);
    }
    return missing.length;
  }

  /**
   * Creates the appointments that the server does not have and makes their slots, which it has, busy in the same
   * transactions. One whose slot is no longer free is left out.
   */
  async book(bookings: readonly Booking[], progress: Progress): Promise<{ created: number; leftOut: number }> {
    const all = bookings.map(({ appointment }) => appointment);
    const missing = bookings.filter(({ appointment }) => !this.#shelf.has(appointment));
    progress(all.length - missing.length);
    for (let from = 0; from < missing.length; from += ENTRIES / 2) {
      const batch = missing.slice(from, from + ENTRIES / 2);
      await this.#retry(
        () => this.#take(batch.filter(({ appointment }) => !this.#shelf.has(appointment))),
        () => this.look(batch.map(({ appointment }) => appointment)),
      );
      progress(all.length - this.#missing(all).length);
    }
    const leftOut = this.#missing(all).length;
    return { created: missing.length - leftOut, leftOut };
  }

  #missing(seeds: readonly Seed[]): Seed[] {
    return seeds.filter((seed) => !this.#shelf.has(seed));
  }

  async #create(batch: readonly Upload[]): Promise<void> {
    await this.#send(
      batch.map(({ entry }) => entry),
      batch.map(({ seed }) => seed),
    );
  }

  async #take(batch: readonly Booking[]): Promise<void> {
    const ids = batch.flatMap(({ slot }) => (slot ? [this.#shelf.idOf('Slot', slot.name)] : []));
    const slots = new Map((await this.#client.readMany('Slot', ids, this.#caller)).map((slot) => [slot.id, slot]));
    const slotOf = ({ slot }: Booking) => slot && slots.get(this.#shelf.idOf('Slot', slot.name));
    const possible = batch.filter((booking) => !booking.slot || slotOf(booking)?.status === 'free');
    const creates = possible.map(({ appointment }): Entry => ({ create: this.#shelf.draft(appointment) }));
    const updates = possible.flatMap((booking): Entry[] => {
      const slot = slotOf(booking);
      return slot ? [{ update: { ...slot, status: 'busy' } }] : [];
    });
    await this.#send(
      [...creates, ...updates],
      possible.map(({ appointment }) => appointment),
    );
  }

  /** Sends the entries, the first of which create the seeds. */
  async #send(entries: readonly Entry[], seeds: readonly Seed[]): Promise<void> {
    if (entries.length === 0) return;
    const results = await this.#client.transaction(entries, this.#caller);
    for (const [index, seed] of seeds.entries()) {
      const { type, id } = results[index] ?? {};
      if (type === seed.type && id !== undefined) this.#shelf.put(seed, id);
    }
    const unnamed = seeds.filter((seed) => !this.#shelf.has(seed));
    if (unnamed.length > 0) await this.#shelf.look(unnamed, this.#caller);
  }

  /** @param refresh finds out what was done all the same, before the next try. */
  async #retry(work: () => Promise<void>, refresh = async () => {}): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        if (tries > 1) await refresh();
        return await work();
      } catch (error) {
        if (!(error instanceof Failure) || !transientKinds.has(error.kind) || tries === TRIES) throw error;
        if (error.code === 'backend_auth' || this.#caller.signal.aborted) throw error;
        const wait = Math.max(error.retryAfter ?? 0, Math.min(2 ** (tries - 2), MAX_WAIT));
        await sleep(wait * 1000, undefined, { signal: this.#caller.signal });
      }
    }
  }
}

interface Upload {
  readonly seed: Seed;
  readonly entry: Entry;
}

/** In groups that fit into one transaction each. */
function batches(sowings: readonly Upload[]): Upload[][] {
  const groups: Upload[][] = [];
  let last: Upload[] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const sowing of sowings) {
    const size = Buffer.byteLength(JSON.stringify(sowing.entry)) + ENVELOPE;
    if (last.length === ENTRIES || bytes + size > BYTES) {
      last = [];
      groups.push(last);
      bytes = 0;
    }
    last.push(sowing);
    bytes += size;
  }
  return groups;
}
