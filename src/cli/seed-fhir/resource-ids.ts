import type { Client } from '../../../adapters/fhir/rest/client.ts';
import type { Caller } from '../../../adapters/fhir/rest/transport.ts';
import { formatToken } from '../../../adapters/fhir/rest/url.ts';
import type { Draft, ResourceType } from '../../../adapters/fhir/schema/resources.ts';
import type { Codes } from '../../../adapters/fhir/schema/terminology.ts';
import { isObject } from '../../toolkit/http-client/json.ts';

/** Types of seeds. A Binary has no identifier by which the next seeding could find it. */
export type SeedType = Exclude<ResourceType, 'Binary'>;

/** A resource that is created unless the server has it. */
export interface Seed<T extends SeedType = SeedType> {
  /** The id of what it is made from in the world file; no other seed of its type has it. */
  readonly id: string;
  readonly resource: Draft<T>;
}

const IDS_PER_SEARCH = 50;

/** The ids that the server gave to the seeds, which it finds by an identifier of their own: `{namespace}/sid/seed|{type}-{id}`. */
export class ResourceIds {
  readonly #client: Client;
  readonly #system: string;
  readonly #ids = new Map<string, string>();

  constructor(client: Client, codes: Codes) {
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
  async fetch(type: SeedType, seeds: readonly Pick<Seed, 'id'>[], caller: Caller): Promise<void> {
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
  toDraft({ id, resource }: Seed): Draft {
    const value = toSeedIdentifier(resource.resourceType, id);
    const identifier = { use: 'secondary', system: this.#system, value } as const;
    if (resource.resourceType === 'QuestionnaireResponse') return { ...resource, identifier };
    return { ...resource, identifier: [...(resource.identifier ?? []), identifier] };
  }
}

const toSeedIdentifier = (type: ResourceType, seedId: string): string => `${type}-${seedId}`;
