import { Failure } from '../../src/ports/index.ts';
import { ignoreFailure } from '../../src/toolkit/failures.ts';

/** True if a write was sent and nobody knows whether it was done. */
export const isOutcomeUnknown = (error: unknown): error is Failure =>
  error instanceof Failure && error.kind === 'outcome_unknown';

export interface SettleOptions {
  /** True if the write may have been done all the same. Default: its outcome is unknown. */
  readonly mayBeDone?: (error: unknown) => boolean;
  /** The error to throw when the look found nothing. Default: the error of the write. */
  readonly whenMissing?: (error: unknown) => unknown;
  /** The error to throw when the look fails too. Default: the error of the write. */
  readonly whenUnseen?: (error: unknown, lookError: unknown) => unknown;
}

/**
 * Writes, and judges a write whose answer was lost by what is there afterwards.
 * @param find looks for what the write leaves; undefined when it is not there.
 * @throws the error of the write when it cannot be looked for, or is not found.
 */
export async function settleWrite<T>(
  write: () => Promise<T>,
  find: () => Promise<T | undefined>,
  { mayBeDone = isOutcomeUnknown, whenMissing = (error) => error, whenUnseen = (error) => error }: SettleOptions = {},
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!mayBeDone(error)) throw error;
    const found = await find().catch((lookError: unknown) => {
      ignoreFailure(lookError);
      throw whenUnseen(error, lookError);
    });
    if (found !== undefined) return found;
    throw whenMissing(error);
  }
}
