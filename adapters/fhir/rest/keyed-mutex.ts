/** Runs work one after the other that has the same key, and all other work at once. */
export class KeyedMutex {
  /** The last work of each key. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work after every earlier work with this key has ended, whether it succeeded or not. */
  async runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const own = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    this.#last.set(key, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === own) this.#last.delete(key);
    }
  }
}
