import { Failure } from '../ports/index.ts';

export interface CircuitOptions {
  /** Milliseconds for which an outcome counts. */
  readonly window: number;
  /** The minimum number of outcomes for a decision. */
  readonly minimum: number;
  /** The share of faults from which the backend counts as failing, above 0 and at most 1. */
  readonly faultRate: number;
  /** Milliseconds for which calls are rejected when the backend begins to fail. It doubles after each failed probe. */
  readonly openFor: number;
  /** The maximum of `openFor`. */
  readonly longestOpen: number;
}

/** The result of a call for the backend's health. `unclear` if its caller left earlier. */
export type Observation = 'works' | 'fails' | 'unclear';

/** The number of parts of the window. Outcomes expire part by part. */
const PARTS = 10;

/** Rejects calls at once while a backend fails. Single probes detect when it works again. */
export class Circuit {
  readonly #options: CircuitOptions;
  readonly #onChange: (change: 'opened' | 'closed') => void;
  /** Outcomes by part of the window, the oldest first. */
  #parts: { readonly number: number; calls: number; faults: number }[] = [];
  /** Milliseconds for which calls are rejected. 0 while the circuit is closed. */
  #openFor = 0;
  /** The time of the next probe, in milliseconds of `performance.now()`. */
  #probeAt = 0;
  #isProbing = false;
  /** Increases with each change, so that a call can detect a change since its start. */
  #changes = 0;

  /** @param onChange is called when the circuit opens and when it closes. */
  constructor(options: CircuitOptions, onChange: (change: 'opened' | 'closed') => void) {
    this.#options = options;
    this.#onChange = onChange;
  }

  get isClosed(): boolean {
    return this.#openFor === 0;
  }

  /** @throws Failure as `run`, unless it would make a call now. */
  requireTrial(): void {
    if (this.isClosed) return;
    const wait = this.#probeAt - performance.now();
    if (wait <= 0 && !this.#isProbing) return;
    const retryAfter = Math.max(1, Math.ceil(wait / 1_000));
    throw new Failure('overloaded', 'the backend fails', { code: 'backend_circuit_open', retryAfter });
  }

  /**
   * Makes a call, which reports the backend's health.
   * @throws Failure overloaded `backend_circuit_open` without a call while the backend fails.
   */
  async run(call: () => Promise<Observation>): Promise<void> {
    this.requireTrial();
    this.#isProbing = !this.isClosed;
    const changes = this.#changes;
    const observed = await call();
    if (changes !== this.#changes) return;
    const { openFor, longestOpen } = this.#options;
    if (this.#isProbing) {
      if (observed !== 'works') this.#open(Math.min(2 * this.#openFor, longestOpen));
      else {
        this.#open(0);
        this.#onChange('closed');
      }
    } else if (observed !== 'unclear' && this.#count(observed)) {
      this.#open(openFor);
      this.#onChange('opened');
    }
  }

  /** @param duration 0 closes the circuit. */
  #open(duration: number): void {
    this.#changes += 1;
    this.#isProbing = false;
    this.#openFor = duration;
    this.#probeAt = performance.now() + duration;
    this.#parts = [];
  }

  /** True if there are too many faults including this outcome. */
  #count(observed: Observation): boolean {
    const { window, minimum, faultRate } = this.#options;
    const number = Math.floor((performance.now() * PARTS) / window);
    let part = this.#parts.at(-1);
    if (part?.number !== number) {
      part = { number, calls: 0, faults: 0 };
      this.#parts = [...this.#parts.filter((earlier) => earlier.number > number - PARTS), part];
    }
    part.calls += 1;
    if (observed === 'works') return false;
    part.faults += 1;
    const calls = this.#parts.reduce((sum, each) => sum + each.calls, 0);
    const faults = this.#parts.reduce((sum, each) => sum + each.faults, 0);
    return calls >= minimum && faults / calls >= faultRate;
  }
}
