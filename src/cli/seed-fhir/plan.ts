import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactionEntry } from '../../../adapters/fhir/rest/bundle.ts';
import type { FhirClient } from '../../../adapters/fhir/rest/client.ts';
import { formatToken } from '../../../adapters/fhir/rest/query.ts';
import type { ServerCall } from '../../../adapters/fhir/rest/transport.ts';
import { toFhirAddress } from '../../../adapters/fhir/schema/read.ts';
import type { NewResource, ResourceType } from '../../../adapters/fhir/schema/resources.ts';
import type { Codes } from '../../../adapters/fhir/schema/terminology.ts';
import type { Settings } from '../../../adapters/fhir/settings.ts';
import { toInstant } from '../../../adapters/memory/load-world.ts';
import type { RelativeTime, WorldFile, WorldPhone } from '../../../adapters/memory/world-file.ts';
import { isObject } from '../../http-client/answer-size.ts';
import { type Address, type Day, Failure, type FailureKind, type Instant } from '../../ports/index.ts';
import type { Zone } from '../../toolkit/zone.ts';

/** Resources of one type, which refer only to those of earlier steps. */
export type Step = { [T in SeedType]: StepOfType<T> }[SeedType];

interface StepOfType<T extends SeedType> {
  /** As the progress line shows it. */
  readonly title: string;
  readonly type: T;
  build(context: Context): readonly Seed<T>[];
}

/** What the resources are built from. */
export interface Context {
  readonly world: WorldFile;
  readonly ids: ResourceIds;
  readonly codes: Codes;
  readonly zone: Zone;
  readonly now: Instant;
  /** The day of `now` in the zone. */
  readonly today: Day;
  readonly relationships: Settings['relationships'];
  readonly currency: Settings['currency'];
}

export const toConcept = (system: string, code: string, text?: string) => ({
  coding: [{ system, code }],
  ...(text && { text }),
});

/** The name of a person in one line and in its parts; a first word that ends with a dot is a title. */
export function toHumanName(name: string) {
  const words = name.split(' ');
  const prefix = words[0]?.endsWith('.') ? words.slice(0, 1) : [];
  const [given = '', ...family] = words.slice(prefix.length);
  return {
    use: 'official',
    text: name,
    ...(family.length > 0 && { family: family.join(' ') }),
    given: [given],
    ...(prefix.length > 0 && { prefix }),
  };
}

/** Element `telecom`, unless there is nothing to put into it. */
export function toTelecom(email: string, phones: readonly WorldPhone[]) {
  const telecom = [
    ...phones
      .filter(({ value }) => value !== '')
      .map(({ type, value }) => ({ system: 'phone', use: type === 'cell-phone' ? 'mobile' : 'work', value })),
    ...(email === '' ? [] : [{ system: 'email', value: email }]),
  ];
  return telecom.length > 0 && { telecom };
}

/** The address as the adapter writes it, with the country as its ISO 3166 code where that is known. */
export const toAddress = (address: Address, use: 'home' | 'work') => ({
  ...toFhirAddress(address),
  use,
  ...(address.country === 'Argentina' && { country: 'AR' }),
});

/** Element `position` (WGS 84), unless it is unknown. */
export const toPosition = ({ latitude, longitude }: { readonly latitude: string; readonly longitude: string }) =>
  latitude !== '' && longitude !== '' && { position: { latitude: Number(latitude), longitude: Number(longitude) } };

/** An extension with the moment at which the institution created something; `meta` only has that of the seeding. */
export const toCreatedAt = (created: RelativeTime, { codes, today, zone }: Context) => ({
  url: codes.extension('created-at'),
  valueDateTime: toInstant(created, today, zone),
});

/** Types of seeds. A Binary has no identifier by which the next seeding could find it. */
export type SeedType = Exclude<ResourceType, 'Binary'>;

/** A resource that is created unless the server has it. */
export interface Seed<T extends SeedType = SeedType> {
  /** The id of what it is made from in the world file; no other seed of its type has it. */
  readonly id: string;
  readonly resource: NewResource<T>;
}

const IDS_PER_SEARCH = 50;

/** The ids that the server gave to the seeds, which it finds by an identifier of their own: `{namespace}/sid/seed|{type}-{id}`. */
export class ResourceIds {
  readonly #client: FhirClient;
  readonly #system: string;
  readonly #ids = new Map<string, string>();

  constructor(client: FhirClient, codes: Codes) {
    this.#client = client;
    this.#system = codes.sid('seed');
  }

  /** @throws Error, a bug, when the server did not have it when last asked. */
  getId(type: ResourceType, seedId: string): string {
    const id = this.#ids.get(toSeedIdentifier(type, seedId));
    if (id === undefined) throw new Error(`a seed refers to a ${type} that was not created before it`);
    return id;
  }

  /** A reference to the resource; fails as `getId` does. */
  refer(type: ResourceType, seedId: string): { readonly reference: string } {
    return { reference: `${type}/${this.getId(type, seedId)}` };
  }

  /** Those that the server did not have when last asked. */
  filterMissing<T extends Pick<Seed, 'id'>>(type: SeedType, seeds: readonly T[]): T[] {
    return seeds.filter(({ id }) => !this.#ids.has(toSeedIdentifier(type, id)));
  }

  add(type: SeedType, seedId: string, id: string): void {
    this.#ids.set(toSeedIdentifier(type, seedId), id);
  }

  /** Asks the server which of these it has. */
  async fetch(type: SeedType, seeds: readonly Pick<Seed, 'id'>[], caller: ServerCall): Promise<void> {
    for (let from = 0; from < seeds.length; from += IDS_PER_SEARCH) {
      const wanted = seeds.slice(from, from + IDS_PER_SEARCH).map(({ id }) => toSeedIdentifier(type, id));
      const query = {
        identifier: wanted.map((value) => formatToken(this.#system, value)).join(','),
        _count: String(IDS_PER_SEARCH),
      };
      const { matches } = await this.#client.search(type, query, caller, { post: true });
      for (const resource of matches) {
        const identifiers = [(resource as { identifier?: unknown }).identifier].flat().filter(isObject);
        const value = identifiers.find(({ system }) => system === this.#system)?.value;
        if (typeof value === 'string' && wanted.includes(value)) this.#ids.set(value, resource.id);
      }
    }
  }

  /** The resource as it is sent: with the identifier by which it is found again. */
  toDraft({ id, resource }: Seed): NewResource {
    const value = toSeedIdentifier(resource.resourceType, id);
    const identifier = { use: 'secondary', system: this.#system, value } as const;
    if (resource.resourceType === 'QuestionnaireResponse') return { ...resource, identifier };
    return { ...resource, identifier: [...(resource.identifier ?? []), identifier] };
  }
}

const toSeedIdentifier = (type: ResourceType, seedId: string): string => `${type}-${seedId}`;

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
  readonly #client: FhirClient;
  readonly #ids: ResourceIds;
  readonly #caller: ServerCall;

  constructor(client: FhirClient, ids: ResourceIds, caller: ServerCall) {
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
    const updates = taken.map((slot): TransactionEntry => ({ update: slot, changes: { status: 'busy' } }));
    await this.#create('Appointment', possible, updates);
  }

  /** Creates the seeds and does the updates in one transaction. */
  async #create(type: SeedType, seeds: readonly Seed[], updates: readonly TransactionEntry[] = []): Promise<void> {
    if (seeds.length === 0) return;
    const creates = seeds.map((seed): TransactionEntry => ({ create: this.#ids.toDraft(seed) }));
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
