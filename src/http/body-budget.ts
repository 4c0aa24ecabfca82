/** Bounds how many bytes of bodies are in flight, over all connections, and of those that are worked on after them. */
export class BodyBudget {
  readonly #max: number;
  #reserved = 0;

  /** @param max bytes. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Reserves bytes until what it returns is called; undefined when there is no room. Large bodies get three quarters of the
   * budget, so that a few files do not keep out everything else.
   */
  reserve(bytes: number, large: boolean): (() => void) | undefined {
    if (this.#reserved + bytes > (large ? (this.#max * 3) / 4 : this.#max)) return undefined;
    this.#reserved += bytes;
    return () => {
      this.#reserved -= bytes;
    };
  }
}
