/** How many are done in one turn of the event loop, in which the system also lets one new connection in. */
const PER_TURN = 4;

/**
 * Does work a little in each turn of the event loop. When more has come than one turn does, a turn does half of what came
 * last and half of what came first: those who come after a burst do not wait for its end, and nobody of it is forgotten.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #done = 0;
  #scheduled = false;

  /** Does the work at once, or in a later turn when enough was done in this one. */
  take(work: () => void): void {
    if (this.#done >= PER_TURN || this.#waiting.length > 0) {
      this.add(work);
      return;
    }
    this.#done += 1;
    this.#schedule();
    work();
  }

  /** Does the work in a later turn. */
  add(work: () => void): void {
    this.#waiting.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const first = this.#waiting.splice(0, PER_TURN / 2);
      const last = this.#waiting.splice(-PER_TURN / 2);
      this.#done = 0;
      if (this.#waiting.length > 0) this.#schedule();
      for (const work of [...last, ...first]) work();
    });
  }
}
