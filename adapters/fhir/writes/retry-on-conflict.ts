import { type Call, Failure } from '../../../src/ports/index.ts';
import { pauseBeforeRetry } from '../../../src/toolkit/http-client/retry-pause.ts';

/**
 * Tries again, ten times unless told otherwise, when somebody else changed the resource between the read and the write of the
 * attempt: what was asked for still applies to the resource as it is now.
 * @param attempt reads, changes and writes; it gets the number of attempts before it.
 * @throws what the last attempt throws.
 */
export async function retryOnConflict<T>(
  attempt: (earlier: number) => Promise<T>,
  { signal }: Call,
  retries = 10,
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
