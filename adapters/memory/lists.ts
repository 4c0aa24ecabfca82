/** Lists by key, in the order in which things were added. A key without things costs no memory. */
export class Lists<T extends { readonly id: string }> {
  readonly #lists = new Map<string, T[]>();

  get(key: string): readonly T[] {
    return this.#lists.get(key) ?? [];
  }

  add(key: string, thing: T): void {
    const list = this.#lists.get(key);
    if (list) list.push(thing);
    else this.#lists.set(key, [thing]);
  }

  /** Puts the thing in the place of the one with its id. */
  replace(key: string, thing: T): void {
    const list = this.#lists.get(key) ?? [];
    const index = list.findIndex(({ id }) => id === thing.id);
    if (index >= 0) list[index] = thing;
  }

  /** Whether there was a thing with that id. */
  remove(key: string, id: string): boolean {
    const list = this.#lists.get(key) ?? [];
    const index = list.findIndex((thing) => thing.id === id);
    if (index < 0) return false;
    list.splice(index, 1);
    if (list.length === 0) this.#lists.delete(key);
    return true;
  }
}
