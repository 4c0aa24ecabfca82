import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../../adapters/fhir/rest/client.ts';
import type { Entry } from '../../../adapters/fhir/rest/entry.ts';
import type { Caller } from '../../../adapters/fhir/rest/transport.ts';
import { Failure, type FailureKind } from '../../ports/index.ts';
import type { ResourceIds, Seed, SeedType } from './resource-ids.ts';

/** Limits of one transaction, below those of Medplum (50 updates and 1 MB). */
const MAX_ENTRIES = 50;
const MAX_BYTES = 900_000;
/** Bytes of an entry around its resource, at most. */
const ENVELOPE_BYTES = 200;

/** Failures that may pass: the server is then asked again what it has, and gets the rest. */
const transientKinds: ReadonlySet<FailureKind> = new Set([
  'overloaded',
  'unavailable',
  'timeout',
  'outcome_unknown',
  'conflict',
]);
const MAX_TRIES = 8;
/** Seconds between two tries, unless the server asks for more. */
const MAX_WAIT = 30;

/** Tells how many resources of a step the server has by now. */
type Progress = (done: number) => void;

/** An appointment, and the id that the server gave to the slot that it takes; none when it was canceled. */
export interface Booking extends Seed<'Appointment'> {
  readonly slotId: string | undefined;
}

/** Creates what the server does not have, in transactions, and tries again after failures that may pass. */
export class Uploader {
  readonly #client: Client;
  readonly #ids: ResourceIds;
  readonly #caller: Caller;

  constructor(client: Client, ids: ResourceIds, caller: Caller) {
    this.#client = client;
    this.#ids = ids;
    this.#caller = caller;
  }

  /** Asks the server which of these it has. */
  fetchIds(type: SeedType, seeds: readonly Pick<Seed, 'id'>[]): Promise<void> {
    return this.#retry(() => this.#ids.fetch(type, seeds, this.#caller));
  }

  /** Creates those that the server does not have, and returns how many they were. */
  async upload(type: SeedType, seeds: readonly Seed[], progress: Progress): Promise<number> {
    await this.fetchIds(type, seeds);
    const missing = this.#ids.filterMissing(type, seeds);
    progress(seeds.length - missing.length);
    for (const batch of this.#splitIntoBatches(missing)) {
      await this.#retry(
        () => this.#create(type, this.#ids.filterMissing(type, batch)),
        () => this.#ids.fetch(type, batch, this.#caller),
      );
      progress(seeds.length - this.#ids.filterMissing(type, seeds).length);
    }
    return missing.length;
  }

  /**
   * Creates appointments that the server does not have and makes their slots, which it has, busy in the same transactions.
   * Returns how many it left out because their slots are no longer free.
   */
  async book(bookings: readonly Booking[], progress: Progress): Promise<number> {
    progress(0);
    const size = MAX_ENTRIES / 2;
    for (let from = 0; from < bookings.length; from += size) {
      const batch = bookings.slice(from, from + size);
      await this.#retry(
        () => this.#takeSlots(this.#ids.filterMissing('Appointment', batch)),
        () => this.#ids.fetch('Appointment', batch, this.#caller),
      );
      progress(bookings.length - this.#ids.filterMissing('Appointment', bookings).length);
    }
    return this.#ids.filterMissing('Appointment', bookings).length;
  }

  async #takeSlots(bookings: readonly Booking[]): Promise<void> {
    const ids = bookings.flatMap(({ slotId }) => slotId ?? []);
    const { matches } = await this.#client.readMany('Slot', ids, this.#caller);
    const slots = new Map(matches.map((slot) => [slot.id, slot]));
    const possible = bookings.filter(({ slotId }) => slotId === undefined || slots.get(slotId)?.status === 'free');
    const taken = possible.flatMap(({ slotId }) => slots.get(slotId ?? '') ?? []);
    const updates = taken.map((slot): Entry => ({ update: slot, changes: { status: 'busy' } }));
    await this.#create('Appointment', possible, updates);
  }

  /** Creates the seeds and does the updates in one transaction. */
  async #create(type: SeedType, seeds: readonly Seed[], updates: readonly Entry[] = []): Promise<void> {
    if (seeds.length === 0) return;
    const creates = seeds.map((seed): Entry => ({ create: this.#ids.toDraft(seed) }));
    const results = await this.#client.transaction([...creates, ...updates], this.#caller);
    for (const [index, seed] of seeds.entries()) {
      const result = results[index];
      if (result?.type === type && result.id !== undefined) this.#ids.add(type, seed.id, result.id);
    }
    const unnamed = this.#ids.filterMissing(type, seeds);
    if (unnamed.length > 0) await this.#ids.fetch(type, unnamed, this.#caller);
  }

  /** Batches that each fit into one transaction. */
  #splitIntoBatches(seeds: readonly Seed[]): Seed[][] {
    const batches: Seed[][] = [];
    let last: Seed[] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const seed of seeds) {
      const size = Buffer.byteLength(JSON.stringify(this.#ids.toDraft(seed))) + ENVELOPE_BYTES;
      if (last.length === MAX_ENTRIES || bytes + size > MAX_BYTES) {
        last = [];
        batches.push(last);
        bytes = 0;
      }
      last.push(seed);
      bytes += size;
    }
    return batches;
  }

  /** @param refresh asks, before each further try, what the failed one did all the same. */
  async #retry(work: () => Promise<void>, refresh = async () => {}): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        if (tries > 1) await refresh();
        return await work();
      } catch (error) {
        if (!(error instanceof Failure) || !transientKinds.has(error.kind) || tries === MAX_TRIES) throw error;
        if (error.code === 'backend_auth' || error.code === 'forbidden' || this.#caller.signal.aborted) throw error;
        const wait = Math.max(error.retryAfter ?? 0, Math.min(2 ** (tries - 2), MAX_WAIT));
        await sleep(wait * 1000, undefined, { signal: this.#caller.signal });
      }
    }
  }
}
