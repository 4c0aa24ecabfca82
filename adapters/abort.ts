import { type Call, Failure } from '../src/ports/index.ts';

/**
 * Does nothing while the call may go on.
 * @throws Failure timeout when the deadline has passed or the caller has hung up.
 */
export function throwIfAborted({ signal }: Call): void {
  if (signal.aborted)
    throw new Failure('timeout', 'the deadline passed before the work began', { cause: signal.reason });
}
