import { type Call, Failure } from '../../../src/ports/index.ts';
import { isPartialTransaction } from '../rest/errors.ts';

export interface RetryOptions {
  /** How often to try again. */
  readonly retries?: number;
  /** Tries again after a lost answer too, since the next attempt reads whether the write has happened. */
  readonly afterLostAnswer?: true;
}

/**
 * Reads, changes and writes once more, twice at most, when somebody else wrote the same resource after it was read: what
 * was asked for then holds for the resource as it is now.
 * @param attempt is told how many attempts there were before it.
 * @throws whatever the last attempt throws.
 */
export async function retryOnConflict<T>(
  attempt: (earlier: number) => Promise<T>,
  { signal }: Call,
  { retries = 2, afterLostAnswer }: RetryOptions = {},
): Promise<T> {
  for (let earlier = 0; ; earlier++) {
    try {
      return await attempt(earlier);
    } catch (error) {
      if (!(error instanceof Failure) || earlier >= retries || signal.aborted) throw error;
      const isLost = error.kind === 'outcome_unknown' && !isPartialTransaction(error);
      if (error.code !== 'version_conflict' && !(afterLostAnswer && isLost)) throw error;
    }
  }
}
