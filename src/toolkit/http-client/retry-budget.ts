/** How many retries are there at the start, and at most: so many a quiet server gets at once. */
const RESERVE = 10;

/** Keeps retries a small share of all requests, so that they do not double the load of a server that can take no more. */
export class RetryBudget {
  readonly #share: number;
  #left = RESERVE;

  /** @param share of the requests that may be sent again, e.g. 0.1. */
  constructor(share: number) {
    this.#share = share;
  }

  /** Counts a request that is sent for the first time. */
  earn(): void {
    this.#left = Math.min(RESERVE, this.#left + this.#share);
  }

  /** Whether a request may be sent again, which counts. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
