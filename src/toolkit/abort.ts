import { type Call, Failure } from '../ports/index.ts';

/** @throws Failure timeout when the deadline has passed or the caller has disconnected. */
export function throwIfAborted({ signal }: Call): void {
  if (signal.aborted)
    throw new Failure('timeout', 'the deadline passed before the work began', { cause: signal.reason });
}
