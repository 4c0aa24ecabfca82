/** Runs work with the same key sequentially, and other work in parallel. */
export class KeyedMutex {
  /** The last work of each key. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work after all earlier work with this key has settled. */
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
