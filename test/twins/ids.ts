const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Which id of the hospital in memory means the same as which id of the FHIR server. The latter are UUIDs, all of them. */
export class Ids {
  readonly #inMemory: Map<string, string>;
  readonly #taken: Set<string>;
  readonly #labels = new Map<string, string>();

  constructor(known: Iterable<readonly [fhir: string, memory: string]> = []) {
    this.#inMemory = new Map(known);
    this.#taken = new Set(this.#inMemory.values());
  }

  /** One that knows the same and learns on its own. */
  copy(): Ids {
    return new Ids(this.#inMemory);
  }

  /** With the ids of the hospital in memory instead of those of the FHIR server, as far as they are known. */
  toMemory<T>(value: T): T {
    return rewriteIds(value, (id) => this.#inMemory.get(id) ?? id);
  }

  /** As people read it: the ids that were made on the way are numbered. */
  toReadable<T>(value: T): T {
    return rewriteIds(this.toMemory(value), (id) => this.#labels.get(id) ?? id);
  }

  /** With the same mark for every id that has no counterpart yet. */
  mask<T>(value: T): T {
    return rewriteIds(this.toMemory(value), (id) => (this.#taken.has(id) ? id : '?'));
  }

  /** Takes the new ids of two answers for the same, one by one in their order; nothing unless they are as many. */
  learn(fhir: unknown, memory: unknown): void {
    const [own, others] = [this.#listNew(fhir), this.#listNew(memory)];
    if (own.length !== others.length) return;
    for (const [index, id] of own.entries()) {
      const other = others[index] ?? '';
      this.#inMemory.set(id, other);
      this.#taken.add(other);
      this.#labels.set(other, `new-${this.#labels.size + 1}`);
    }
  }

  #listNew(value: unknown): string[] {
    const all = JSON.stringify(this.toMemory(value)).match(uuid) ?? [];
    return [...new Set(all)].filter((id) => !this.#taken.has(id));
  }
}

function rewriteIds<T>(value: T, change: (id: string) => string): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll(uuid, change));
}
