import { setTimeout } from 'node:timers/promises';

/** Pauses that double with each failure in a row, in milliseconds. */
export interface Backoff {
  readonly first: number;
  readonly longest: number;
}

/** Milliseconds to wait after so many failures in a row; `first` after one. */
export const computePause = ({ first, longest }: Backoff, failures: number): number =>
  Math.min(first * 2 ** (failures - 1), longest);

/** Between attempts of callers that clash on one resource. */
const whenClashing: Backoff = { first: 50, longest: 400 };

/** Anything up to the pause, so that callers that clashed do not meet again ("full jitter"). */
export const choosePause = (failures: number, backoff = whenClashing): number =>
  Math.random() * computePause(backoff, failures);

export interface RetryOptions<T> {
  /** True if another attempt may succeed where this one threw. */
  readonly afterError?: (error: unknown) => boolean | Promise<boolean>;
  /** True if another attempt may bring a better result than this one. */
  readonly afterResult?: (result: T) => boolean;
  /** The most attempts; default: no limit but the signal. */
  readonly attempts?: number;
  /** Ends the waiting; the error or the result of the last attempt is final then. */
  readonly signal?: AbortSignal;
  readonly backoff?: Backoff;
}

/**
 * The result of the first attempt that needs no other one, or of the last one.
 * @param work gets the number of attempts before it.
 * @throws what the last attempt throws.
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
