import { setTimeout } from 'node:timers/promises';
import { type Call, Failure } from '../../../src/ports/index.ts';

export interface RetryOptions {
  /** How often to try again. */
  readonly retries?: number;
}

const RETRIES = 10;
const LONGEST_PAUSE_MS = 320;

/** Waits for a random time, so that those who clashed do not meet again; the longer, the more attempts there were. */
export const pauseBeforeRetry = (earlier: number, signal: AbortSignal): Promise<unknown> =>
  setTimeout(Math.random() * Math.min(20 * 2 ** earlier, LONGEST_PAUSE_MS), undefined, { signal }).catch(
    () => undefined,
  );

/**
 * Tries again, ten times unless told otherwise, when somebody else changed the resource between the read and the write of the
 * attempt: what was asked for still applies to the resource as it is now.
 * @param attempt reads, changes and writes; it gets the number of attempts before it.
 * @throws what the last attempt throws.
 */
export async function retryOnConflict<T>(
  attempt: (earlier: number) => Promise<T>,
  { signal }: Call,
  { retries = RETRIES }: RetryOptions = {},
): Promise<T> {
  for (let earlier = 0; ; earlier++) {
    try {
      return await attempt(earlier);
    } catch (error) {
      if (!(error instanceof Failure) || earlier >= retries || signal.aborted) throw error;
      if (error.code !== 'version_conflict') throw error;
      await pauseBeforeRetry(earlier, signal);
      if (signal.aborted) throw error;
    }
  }
}
