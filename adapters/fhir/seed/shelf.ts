import type { Client } from '../client.ts';
import type { Codes } from '../codes.ts';
import { isObject } from '../decode.ts';
import type { Draft, ResourceType } from '../resources.ts';
import type { Caller } from '../transport.ts';
import { token } from '../url.ts';
import type { Known, Seed } from './plan.ts';

/** Seeds that one search asks for. */
const NAMES_PER_SEARCH = 50;

/** The only type of those that are seeded that has one identifier and no list of them (R4). */
const SINGLE: ResourceType = 'QuestionnaireResponse';

/** Knows which seeds lie in the server, and under which ids. Each carries an identifier that only its seed can have. */
export class Shelf implements Known {
  readonly #client: Client;
  readonly #system: string;
  readonly #ids = new Map<string, string>();

  constructor(client: Client, codes: Codes) {
    this.#client = client;
    this.#system = codes.sid('seed');
  }

  idOf(type: ResourceType, name: string): string {
    const id = this.#ids.get(markOf(type, name));
    if (id === undefined) throw new Error(`a seed refers to ${type}, which was not sown before`);
    return id;
  }

  to(type: ResourceType, name: string): { readonly reference: string } {
    return { reference: `${type}/${this.idOf(type, name)}` };
  }

  has({ type, name }: Seed): boolean {
    return this.#ids.has(markOf(type, name));
  }

  put({ type, name }: Seed, id: string): void {
    this.#ids.set(markOf(type, name), id);
  }

  /** Asks the server which of these it has. */
  async look(seeds: readonly Seed[], caller: Caller): Promise<void> {
    const byType = Map.groupBy(seeds, ({ type }) => type);
    for (const [type, own] of byType) {
      for (let from = 0; from < own.length; from += NAMES_PER_SEARCH) {
        const marks = own.slice(from, from + NAMES_PER_SEARCH).map(({ name }) => markOf(type, name));
        await this.#look(type, marks, caller);
      }
    }
  }

  /** The resource as it is sent: with its identifier. */
  draft({ type, name, elements }: Seed): Draft {
    const mark = { use: 'secondary', system: this.#system, value: markOf(type, name) };
    const { identifier, ...rest } = elements(this);
    const others = Array.isArray(identifier) ? identifier : [];
    return { resourceType: type, identifier: type === SINGLE ? mark : [...others, mark], ...rest };
  }

  async #look(type: ResourceType, marks: readonly string[], caller: Caller): Promise<void> {
    const query = {
      identifier: marks.map((mark) => token(this.#system, mark)).join(','),
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

const markOf = (type: ResourceType, name: string): string => `${type}-${name}`;
