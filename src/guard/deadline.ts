import { Failure } from '../ports/index.ts';

export interface DeadlineOptions {
  /** Within which `work` ends, one way or the other. */
  readonly timeoutMs: number;
  /** After the deadline of a write that says nothing it is unknown whether the write took effect. */
  readonly writes: boolean;
  /** Called once, with what to call when the caller has disconnected. */
  readonly onDisconnect?: (abandon: () => void) => void;
}

/** The time that a piece of work has. */
export interface Deadline {
  /** Milliseconds in all. */
  readonly timeoutMs: number;
  /** Aborts some time before the deadline, or when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Milliseconds until the signal aborts at the latest. */
  timeLeft(): number;
  /** Rejects at the deadline, and never resolves. */
  readonly passed: Promise<never>;
  /** Whether the caller has disconnected. */
  isAbandoned(): boolean;
}

/** How long before the deadline the signal of `work` aborts, at most. */
const MAX_GRACE_MS = 2_000;

/** After how many milliseconds of a deadline's the signal aborts: a quarter before its end, at most two seconds. */
export const computeAbortMs = (timeoutMs: number): number => timeoutMs - Math.min(timeoutMs / 4, MAX_GRACE_MS);

/**
 * Runs `work` with a signal that aborts a quarter of the time before the deadline, at most two seconds: only an adapter
 * knows whether it has sent a write, and it uses the rest to say so. Rejects at the deadline even if `work` does not end.
 * @throws Failure `timeout`, or `outcome_unknown` for a write.
 */
export async function withDeadline<T>(
  { timeoutMs, writes, onDisconnect }: DeadlineOptions,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const expired = Promise.withResolvers<never>();
  const abortMs = computeAbortMs(timeoutMs);
  const fail = () => expired.reject(new Failure(writes ? 'outcome_unknown' : 'timeout', 'the deadline passed'));
  let timer = setTimeout(() => {
    timer = setTimeout(fail, timeoutMs - abortMs);
    abort.abort();
  }, abortMs);
  let abandoned = false;
  onDisconnect?.(() => {
    abandoned = true;
    abort.abort();
  });
  const abortAt = performance.now() + abortMs;
  const deadline: Deadline = {
    timeoutMs,
    signal: abort.signal,
    timeLeft: () => Math.max(0, abortAt - performance.now()),
    passed: expired.promise,
    isAbandoned: () => abandoned,
  };
  try {
    return await Promise.race([work(deadline), expired.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Resolves when the work has ended, but no later than `slackMs` after its deadline: work that never ends must not keep for
 * good what others need.
 */
export async function waitForEnd(
  work: Promise<unknown>,
  { passed }: Pick<Deadline, 'passed'>,
  slackMs: number,
): Promise<void> {
  const overdue = passed.catch(() => new Promise((resolve) => setTimeout(resolve, slackMs).unref()));
  await Promise.race([Promise.allSettled([work]), overdue]);
}
