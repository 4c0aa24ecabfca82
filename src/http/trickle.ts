/** Milliseconds. With one read of a socket (64 KiB) at a time, 64 MB a second over all connections. */
const PAUSE = 1;

/** Does work that nobody waits for: one thing after another with a pause before each, however much there is. */
export class Trickle {
  readonly #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  add(work: () => void): void {
    this.#waiting.push(work);
    this.#timer ??= setInterval(() => this.#next(), PAUSE);
  }

  #next(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
