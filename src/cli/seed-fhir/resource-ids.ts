import type { Client } from '../../../adapters/fhir/rest/client.ts';
import type { Caller } from '../../../adapters/fhir/rest/transport.ts';
import { formatToken } from '../../../adapters/fhir/rest/url.ts';
import type { Draft, ResourceType } from '../../../adapters/fhir/schema/resources.ts';
import type { Codes } from '../../../adapters/fhir/schema/terminology.ts';
import { isObject } from '../../../adapters/http-client/json.ts';
import type { Known, Seed } from './plan.ts';

/** Seeds that one search asks for. */
const NAMES_PER_SEARCH = 50;

/** The only type of those that are seeded that has one identifier and no list of them (R4). */
const SINGLE: ResourceType = 'QuestionnaireResponse';

/** Knows which seeds lie in the server, and under which ids. Each carries an identifier that only its seed can have. */
export class ResourceIds implements Known {
  readonly #client: Client;
  readonly #system: string;
  readonly #ids = new Map<string, string>();

  constructor(client: Client, codes: Codes) {
    this.#client = client;
    this.#system = codes.sid('seed');
  }

  idOf(type: ResourceType, name: string): string {
    const id = this.#ids.get(seedIdentifier(type, name));
    if (id === undefined) throw new Error(`a seed refers to ${type}, which was not sown before`);
    return id;
  }

  to(type: ResourceType, name: string): { readonly reference: string } {
    return { reference: `${type}/${this.idOf(type, name)}` };
  }

  has({ type, name }: Seed): boolean {
    return this.#ids.has(seedIdentifier(type, name));
  }

  put({ type, name }: Seed, id: string): void {
    this.#ids.set(seedIdentifier(type, name), id);
  }

  /** Asks the server which of these it has. */
  async look(seeds: readonly Seed[], caller: Caller): Promise<void> {
    const byType = Map.groupBy(seeds, ({ type }) => type);
    for (const [type, own] of byType) {
      for (let from = 0; from < own.length; from += NAMES_PER_SEARCH) {
        const marks = own.slice(from, from + NAMES_PER_SEARCH).map(({ name }) => seedIdentifier(type, name));
        await this.#look(type, marks, caller);
      }
    }
  }

  /** The resource as it is sent: with its identifier. */
  draft({ type, name, elements }: Seed): Draft {
    const mark = { use: 'secondary', system: this.#system, value: seedIdentifier(type, name) };
    const { identifier, ...rest } = elements(this);
    const others = Array.isArray(identifier) ? identifier : [];
    return { resourceType: type, identifier: type === SINGLE ? mark : [...others, mark], ...rest };
  }

  async #look(type: ResourceType, marks: readonly string[], caller: Caller): Promise<void> {
    const query = {
      identifier: marks.map((mark) => formatToken(this.#system, mark)).join(','),
      _count: String(NAMES_PER_SEARCH),
    };
    const { matches } = await this.#client.search(type, query, caller, { post: true });
    for (const resource of matches) {
      const identifiers = [(resource as { identifier?: unknown }).identifier].flat().filter(isObject);
      const mark = identifiers.find(({ system }) => system === this.#system)?.value;
      if (typeof mark === 'string' && marks.includes(mark)) this.#ids.set(mark, resource.id);
    }
  }
}

const seedIdentifier = (type: ResourceType, name: string): string => `${type}-${name}`;
