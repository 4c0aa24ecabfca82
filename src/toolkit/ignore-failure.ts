import { Failure } from '../ports/index.ts';

/** For `catch`, where a failure changes nothing. @throws what is none: that is a bug. */
export function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}
