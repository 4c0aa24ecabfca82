import { Failure } from '../../src/ports/index.ts';
import { ignoreFailure } from '../../src/toolkit/failures.ts';

/** True if a write was sent and its outcome is unknown. */
export const isOutcomeUnknown = (error: unknown): error is Failure =>
  error instanceof Failure && error.kind === 'outcome_unknown';

/**
 * Looks for the record of a write that the system accepted.
 * @throws Failure outcome_unknown if the system fails at the look, because the record may be there.
 */
export const findWritten = <T>(find: () => Promise<T>): Promise<T> =>
  find().catch((error: unknown) => {
    if (!(error instanceof Failure) || ['conflict', 'invalid', 'not_found'].includes(error.kind)) throw error;
    throw new Failure('outcome_unknown', 'the written record cannot be read', { cause: error });
  });

export interface SettleOptions {
  /** True if the write may have taken effect despite the error. Default: its outcome is unknown. */
  readonly mayBeDone?: (error: unknown) => boolean;
  /** The error if the look found nothing. Default: the error of the write. */
  readonly whenMissing?: (error: unknown) => unknown;
  /** The error if the look fails too. Default: the error of the write. */
  readonly whenUnseen?: (error: unknown, lookError: unknown) => unknown;
}

/**
 * Writes. If the answer is lost, it determines the outcome by a look at the system.
 * @param find looks for the effect of the write; undefined if there is none.
 * @throws the error of the write when the look fails or finds nothing.
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
