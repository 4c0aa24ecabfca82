const MAX_LARGE = 32;

/** Bounds the bodies in flight, over all connections, and those that are worked on after them. */
export class BodyBudget {
  readonly #max: number;
  #reserved = 0;
  #large = 0;

  /** @param max bytes. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Reserves bytes until what it returns is called; undefined when there is no room. Large bodies are 32 at most, in three
   * quarters of the budget, so that a few files do not keep out everything else.
   */
  reserve(bytes: number, isLarge: boolean): (() => void) | undefined {
    const max = isLarge ? (this.#max * 3) / 4 : this.#max;
    if (this.#reserved + bytes > max || (isLarge && this.#large >= MAX_LARGE)) return undefined;
    this.#reserved += bytes;
    if (isLarge) this.#large += 1;
    return () => {
      this.#reserved -= bytes;
      if (isLarge) this.#large -= 1;
    };
  }
}
