/** How many are done in one turn of the event loop. */
const PER_TURN = 16;

/** Does what can wait, a little in each turn of the event loop, so that what is new has its turn too. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #scheduled = false;

  /** Does the work in a later turn, in order. */
  add(work: () => void): void {
    this.#waiting.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      for (const work of this.#waiting.splice(0, PER_TURN)) work();
      this.#schedule();
    });
  }
}
