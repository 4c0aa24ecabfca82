/** The writes that are worked on, whether somebody still waits for their answers or not. */
export class RunningWrites {
  readonly #works = new Set<Promise<unknown>>();

  /** How many pieces of work there are; a write may be several. */
  get size(): number {
    return this.#works.size;
  }

  /** Counts the work until it ends, and returns it. */
  add<T>(work: Promise<T>): Promise<T> {
    this.#works.add(work);
    const remove = () => this.#works.delete(work);
    work.then(remove, remove);
    return work;
  }

  /** Resolves when none is left, also of those that are added meanwhile. */
  async waitForEnd(): Promise<void> {
    while (this.#works.size > 0) await Promise.allSettled(this.#works);
  }
}
