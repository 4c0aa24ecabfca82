import type { IBreaker } from 'cockatiel';

export interface SamplingOptions {
  /** Milliseconds for which an outcome counts. */
  readonly window: number;
  /** Of fewer outcomes nothing is concluded. */
  readonly minimum: number;
  /** The share of faults from which the backend counts as failing, above 0 and at most 1. */
  readonly faultRate: number;
}

interface Slice {
  /** Which slice of time since the clock began. */
  readonly number: number;
  total: number;
  faults: number;
}

const SLICES = 10;

/**
 * Tells by the outcomes of the last while that a backend fails. cockatiel's own sampling forgets only when new outcomes
 * come, so that in a quiet night faults of hours would add up, and follows the wall clock, which may be set back.
 */
export class SamplingWindow implements IBreaker {
  readonly #options: SamplingOptions;
  #slices: Slice[] = [];

  constructor(options: SamplingOptions) {
    this.#options = options;
  }

  success(): void {
    this.#count(0);
  }

  /** Counts a fault, and says whether there are too many. */
  failure(): boolean {
    this.#count(1);
    const total = this.#slices.reduce((sum, slice) => sum + slice.total, 0);
    const faults = this.#slices.reduce((sum, slice) => sum + slice.faults, 0);
    return total >= this.#options.minimum && faults >= this.#options.faultRate * total;
  }

  /** Forgets all outcomes. */
  reset(): void {
    this.#slices = [];
  }

  /** For saving and restoring a breaker, which nobody does. */
  get state(): undefined {
    return undefined;
  }

  set state(_saved) {}

  #count(faults: 0 | 1): void {
    const number = Math.floor((performance.now() * SLICES) / this.#options.window);
    this.#slices = this.#slices.filter((slice) => slice.number > number - SLICES);
    const last = this.#slices.at(-1);
    if (last?.number === number) {
      last.total += 1;
      last.faults += faults;
    } else this.#slices.push({ number, total: 1, faults });
  }
}
