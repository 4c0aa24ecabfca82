import { setTimeout } from 'node:timers/promises';

/** Pauses that double with each failure in a row, in milliseconds. */
export interface Backoff {
  readonly first: number;
  readonly longest: number;
}

/** Returns the milliseconds to wait after that many failures in a row; `first` after one failure. */
export const computePause = ({ first, longest }: Backoff, failures: number): number =>
  Math.min(first * 2 ** (failures - 1), longest);

/** For callers that conflict over one resource. */
const whenClashing: Backoff = { first: 50, longest: 400 };

/** A random time up to the pause, to separate callers that conflicted ("full jitter"). */
export const choosePause = (failures: number, backoff = whenClashing): number =>
  Math.random() * computePause(backoff, failures);

export interface RetryOptions<T> {
  /** Returns true if another attempt may succeed after this error. */
  readonly afterError?: (error: unknown) => boolean | Promise<boolean>;
  /** Returns true if another attempt may bring a better result. */
  readonly afterResult?: (result: T) => boolean;
  /** The maximum number of attempts. Default: no limit but the signal. */
  readonly attempts?: number;
  /** Ends the waiting. The error or the result of the last attempt is then final. */
  readonly signal?: AbortSignal;
  readonly backoff?: Backoff;
}

/**
 * Returns the first result that needs no other attempt, or the last result.
 * @param work gets the number of attempts before it.
 * @throws the error of the last attempt.
 */
export async function retry<T>(
  work: (earlier: number) => Promise<T>,
  { afterError = () => false, afterResult = () => false, attempts = Infinity, signal, backoff }: RetryOptions<T>,
): Promise<T> {
  for (let earlier = 0; ; earlier++) {
    const isLast = () => earlier + 1 >= attempts || signal?.aborted === true;
    let finish: () => T;
    try {
      const result = await work(earlier);
      if (isLast() || !afterResult(result)) return result;
      finish = () => result;
    } catch (error) {
      if (isLast() || !(await afterError(error))) throw error;
      finish = () => {
        throw error;
      };
    }
    await setTimeout(choosePause(earlier + 1, backoff), undefined, { signal }).catch(() => undefined);
    if (signal?.aborted) return finish();
  }
}
