import { type Call, Failure } from '../ports/index.ts';
import { Rejection } from './rejection.ts';

/**
 * Checks a write before the port is called. The adapter has not yet looked for an earlier attempt under the key of the
 * call, so a refusal is no evidence that this attempt changed nothing.
 * @throws Rejection `outcome_unresolved` when the check refuses and an earlier attempt may have taken effect. Otherwise
 * the error of the check.
 */
export async function checkBeforeWrite<T>(check: () => Promise<T>, { resumed }: Call): Promise<T> {
  try {
    return await check();
  } catch (cause) {
    throw resumed && isRefusal(cause) ? new Rejection('outcome_unresolved', { cause }) : cause;
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Rejection || (error instanceof Failure && ['invalid', 'not_found', 'conflict'].includes(error.kind));
