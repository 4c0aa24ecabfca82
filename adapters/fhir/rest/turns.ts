/** Lets what is done for one key be done one after the other, in the order in which it came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work once all that came before it under this key has ended. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const own = before.then(work, work);
    this.#last.set(key, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === own) this.#last.delete(key);
    }
  }
}
