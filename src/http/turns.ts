/** How many are done in one turn of the event loop, in which the system also lets one new connection in. */
const PER_TURN = 4;

/**
 * Does work a little in each turn of the event loop. What has come for more than one turn is done for one caller after
 * another, so that nobody waits for all that somebody else has sent; of one caller half is done of what came last and half of
 * what came first: those who come after a burst do not wait for its end, and nobody of it is forgotten.
 */
export class Turns {
  /** By caller. Whose work was done last comes last. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #limit = PER_TURN;
  #done = 0;
  #turn = 0;
  #scheduled = false;

  /** Does the work at once, or in a later turn when enough was done in this one. */
  take(caller: string, work: () => void): void {
    if (this.#done >= this.#limit || this.#waiting.has(caller)) {
      this.add(caller, work);
      return;
    }
    this.#done += 1;
    this.#schedule();
    work();
  }

  /** Does the work in a later turn. */
  add(caller: string, work: () => void): void {
    const works = this.#waiting.get(caller);
    if (works) works.push(work);
    else this.#waiting.set(caller, [work]);
    this.#schedule();
  }

  /** Does only one thing until the next turn is over: more connections may wait to come in. */
  hurry(): void {
    this.#limit = 1;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const next = this.#takeTurn(this.#limit);
      this.#limit = PER_TURN;
      this.#done = 0;
      if (this.#waiting.size > 0) this.#schedule();
      for (const work of next) work();
    });
  }

  #takeTurn(limit: number): (() => void)[] {
    this.#turn += 1;
    const callers = [...this.#waiting.keys()].slice(0, limit);
    return callers.flatMap((caller, i) => {
      const works = this.#waiting.get(caller) ?? [];
      this.#waiting.delete(caller);
      const share = Math.floor(limit / callers.length) + (i < limit % callers.length ? 1 : 0);
      // Of an odd share the one that is left over goes to either end in turn.
      const last = works.splice(-Math.floor((share + (this.#turn % 2)) / 2) || works.length);
      const first = works.splice(0, share - last.length);
      if (works.length > 0) this.#waiting.set(caller, works);
      return [...last, ...first];
    });
  }
}
