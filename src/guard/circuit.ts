import {
  CircuitState,
  circuitBreaker,
  handleWhenResult,
  type IBackoff,
  isBrokenCircuitError,
  SamplingBreaker,
} from 'cockatiel';
import { Failure } from '../ports/index.ts';

export interface CircuitOptions {
  /** Milliseconds for which an outcome counts. */
  readonly window: number;
  /** Of fewer outcomes in that time nothing is concluded. */
  readonly minimum: number;
  /** The share of faults from which the backend counts as failing, above 0 and at most 1. */
  readonly faultRate: number;
  /** Milliseconds for which calls are rejected when the backend begins to fail; twice as many after each failed probe. */
  readonly openFor: number;
  /** The most that this becomes. */
  readonly longestOpen: number;
}

/** What a call said about the backend; `unclear` when its caller left before it was over. */
export type Observation = 'works' | 'fails' | 'unclear';

/** cockatiel counts no call that throws. */
class Uncounted extends Error {}

/** Rejects calls at once while a backend fails, and lets one at a time find out whether it works again. */
export class Circuit {
  readonly #options: CircuitOptions;
  readonly #breaker;
  /** Grows with each change, so that a call knows whether it began before. */
  #changes = 0;
  /** When the next probe may be made, in milliseconds of `performance.now()`. */
  #probeAt = 0;

  /** @param onChange is called when calls begin to be rejected, and when they all pass again. */
  constructor(options: CircuitOptions, onChange: (change: 'opened' | 'closed') => void) {
    this.#options = options;
    const { window, minimum, faultRate } = options;
    this.#breaker = circuitBreaker(
      handleWhenResult((observed) => observed !== 'works'),
      {
        breaker: new SamplingBreaker({
          // cockatiel opens above it, and takes no 1.
          threshold: faultRate * (1 - 1e-9),
          duration: window,
          minimumRps: (1_000 * minimum) / window,
        }),
        halfOpenAfter: {
          next: () => {
            onChange('opened');
            return this.#startBreak(options.openFor);
          },
        },
      },
    );
    this.#breaker.onStateChange(() => {
      this.#changes += 1;
    });
    this.#breaker.onReset(() => onChange('closed'));
  }

  get isClosed(): boolean {
    return this.#breaker.state === CircuitState.Closed;
  }

  /** @throws Failure as `run`, unless a call would be made now. */
  requireTrial(): void {
    const { state } = this.#breaker;
    const probes = state === CircuitState.Open && performance.now() >= this.#probeAt;
    if (state !== CircuitState.Closed && !probes) throw this.#createFailure();
  }

  /**
   * Makes a call, which says what it learned of the backend.
   * @throws Failure overloaded `backend_circuit_open`, and makes no call, while the backend fails.
   */
  async run(call: () => Promise<Observation>): Promise<void> {
    // cockatiel would let all others wait for the probe.
    if (this.#breaker.state === CircuitState.HalfOpen) throw this.#createFailure();
    try {
      await this.#breaker.execute(async () => {
        const probes = this.#breaker.state === CircuitState.HalfOpen;
        const changes = this.#changes;
        const observed = await call();
        if (!probes && (observed === 'unclear' || changes !== this.#changes)) throw new Uncounted();
        return observed;
      });
    } catch (error) {
      if (isBrokenCircuitError(error)) throw this.#createFailure();
      if (!(error instanceof Uncounted)) throw error;
    }
  }

  #startBreak(duration: number): IBackoff<unknown> {
    this.#probeAt = performance.now() + duration;
    return { duration, next: () => this.#startBreak(Math.min(2 * duration, this.#options.longestOpen)) };
  }

  #createFailure(): Failure {
    const retryAfter = Math.max(1, Math.ceil((this.#probeAt - performance.now()) / 1_000));
    return new Failure('overloaded', 'the backend fails', { code: 'backend_circuit_open', retryAfter });
  }
}
