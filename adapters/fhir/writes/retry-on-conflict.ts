import { type Call, Failure } from '../../../src/ports/index.ts';
import { isPartialTransaction } from '../rest/errors.ts';

export interface RetryOptions {
  /** How often to try again. */
  readonly retries?: number;
  /** Tries again after a lost answer too, since the next attempt reads whether the write has happened. */
  readonly afterLostAnswer?: true;
}

/**
 * Tries again, twice unless told otherwise, when somebody else changed the resource between the read and the write of the
 * attempt: what was asked for still applies to the resource as it is now.
 * @param attempt reads, changes and writes; it gets the number of attempts before it.
 * @throws what the last attempt throws.
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
