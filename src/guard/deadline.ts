import { Failure } from '../ports/index.ts';

/** The maximum time between the abort of `work`'s signal and the deadline. */
const MAX_GRACE_MS = 2_000;

/** The milliseconds of a deadline until the signal aborts: a quarter before its end, at most two seconds. */
export const computeAbortMs = (timeoutMs: number): number => timeoutMs - Math.min(timeoutMs / 4, MAX_GRACE_MS);

/**
 * The time limit of a piece of work. Its signal aborts a quarter of the time earlier, at most two seconds. The adapter uses the rest
 * to report whether it has sent a write, which only the adapter knows.
 */
export class Deadline {
  /** The total time in milliseconds. */
  readonly timeoutMs: number;
  readonly #writes: boolean;
  readonly #abortAt: number;
  readonly #abort = new AbortController();
  /** Aborts some time before the deadline, or at `abandon`. */
  readonly signal: AbortSignal = this.#abort.signal;
  #timer: NodeJS.Timeout;
  #isAbandoned = false;
  /** The number of nested calls that run. The deadline also limits those that outlast the work. */
  nestedCalls = 0;
  /** The callbacks of all waits within this deadline. Undefined after the deadline has passed. */
  #rejects: ((failure: Failure) => void)[] | undefined = [];

  /** @param writes true if the effect of the work is unknown after its deadline. */
  constructor(timeoutMs: number, writes: boolean) {
    const abortMs = computeAbortMs(timeoutMs);
    this.timeoutMs = timeoutMs;
    this.#writes = writes;
    this.#abortAt = performance.now() + abortMs;
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => this.#pass(), timeoutMs - abortMs);
      this.#abort.abort();
    }, abortMs);
  }

  /** True if the caller has disconnected. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Milliseconds until the signal aborts. */
  readonly timeLeft = (): number => Math.max(0, this.#abortAt - performance.now());

  /** Records that the caller has disconnected. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#abort.abort();
  }

  /**
   * Settles like the work, or at the deadline.
   * @throws Failure `timeout`, or `outcome_unknown` for a write.
   */
  limit<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#rejects) this.#rejects.push(reject);
      else reject(this.#createFailure());
      work.then(resolve, reject);
    });
  }

  /** Rejects at the deadline, and never resolves. */
  get passed(): Promise<never> {
    return this.limit(new Promise<never>(() => undefined));
  }

  /** Records the end of the work: nothing happens at the deadline, unless nested calls continue. */
  end(): void {
    if (this.nestedCalls === 0) clearTimeout(this.#timer);
  }

  #pass(): void {
    for (const reject of this.#rejects ?? []) reject(this.#createFailure());
    this.#rejects = undefined;
  }

  #createFailure(): Failure {
    return new Failure(this.#writes ? 'outcome_unknown' : 'timeout', 'the deadline passed');
  }
}

/**
 * Runs `work` for at most this number of milliseconds.
 * @throws Failure `timeout`.
 */
export async function withDeadline<T>(timeoutMs: number, work: (deadline: Deadline) => Promise<T>): Promise<T> {
  const deadline = new Deadline(timeoutMs, false);
  try {
    return await deadline.limit(work(deadline));
  } finally {
    deadline.end();
  }
}

/**
 * Resolves when the work has ended, or at the latest `slackMs` after its deadline: work that never ends must not keep
 * resources forever.
 */
export async function waitForEnd(
  work: Promise<unknown>,
  { passed }: Pick<Deadline, 'passed'>,
  slackMs: number,
): Promise<void> {
  const overdue = passed.catch(() => new Promise((resolve) => setTimeout(resolve, slackMs).unref()));
  await Promise.race([Promise.allSettled([work]), overdue]);
}
