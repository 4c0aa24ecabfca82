/** Lists by key. A key without items costs no memory. */
export class Lists<T extends { readonly id: string }> {
  readonly #lists = new Map<string, T[]>();

  get(key: string): readonly T[] {
    return this.#lists.get(key) ?? [];
  }

  /** Adds the item before the one with this index, by default as the last. */
  add(key: string, item: T, index = Number.POSITIVE_INFINITY): void {
    const list = this.#lists.get(key);
    if (list) list.splice(index, 0, item);
    else this.#lists.set(key, [item]);
  }

  /** Puts the item in the place of the one with its id. */
  replace(key: string, item: T): void {
    const list = this.#lists.get(key) ?? [];
    const index = list.findIndex(({ id }) => id === item.id);
    if (index >= 0) list[index] = item;
  }

  /** Whether there was an item with that id. */
  remove(key: string, id: string): boolean {
    const list = this.#lists.get(key) ?? [];
    const index = list.findIndex((item) => item.id === id);
    if (index < 0) return false;
    list.splice(index, 1);
    if (list.length === 0) this.#lists.delete(key);
    return true;
  }
}
