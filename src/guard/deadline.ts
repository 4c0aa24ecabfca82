import { Failure } from '../ports/index.ts';

export interface DeadlineOptions {
  /** Milliseconds from now. */
  readonly within: number;
  /** A write whose deadline passes may have happened all the same; a read has not changed anything. */
  readonly writes: boolean;
  /** Aborts when nobody waits for the answer any more. */
  readonly hangup?: AbortSignal;
}

/**
 * Runs `work` under a signal that aborts at the deadline, and ends with it even when `work` ignores the signal.
 * @throws Failure `timeout`, or `outcome_unknown` for a write.
 */
export async function withDeadline<T>(options: DeadlineOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { within, writes, hangup } = options;
  const deadline = new AbortController();
  const passed = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const failure = new Failure(writes ? 'outcome_unknown' : 'timeout', 'the deadline passed');
    passed.reject(failure);
    deadline.abort(failure);
  }, within);
  const signal = hangup ? AbortSignal.any([deadline.signal, hangup]) : deadline.signal;
  try {
    return await Promise.race([work(signal), passed.promise]);
  } finally {
    clearTimeout(timer);
  }
}
