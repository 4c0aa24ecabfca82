import { Failure } from '../ports/index.ts';

export interface DeadlineOptions {
  readonly timeoutMs: number;
  /** After the deadline of a write it is unknown whether the write took effect. */
  readonly writes: boolean;
  /** Aborts when the caller disconnects. */
  readonly disconnected?: AbortSignal;
}

/**
 * Runs `work` with a signal that aborts at the deadline. Rejects at the deadline even if `work` ignores the signal.
 * @throws Failure `timeout`, or `outcome_unknown` for a write.
 */
export async function withDeadline<T>(options: DeadlineOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { timeoutMs, writes, disconnected } = options;
  const deadline = new AbortController();
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const failure = new Failure(writes ? 'outcome_unknown' : 'timeout', 'the deadline passed');
    expired.reject(failure);
    deadline.abort(failure);
  }, timeoutMs);
  const signal = disconnected ? AbortSignal.any([deadline.signal, disconnected]) : deadline.signal;
  try {
    return await Promise.race([work(signal), expired.promise]);
  } finally {
    clearTimeout(timer);
  }
}
