import type { Call } from '../../ports/index.ts';
import { isTooLate, isTransient } from './failures.ts';
import type { RetryBudget } from './retry-budget.ts';
import { pauseBeforeRetry } from './retry-pause.ts';

export interface Repeats {
  readonly budget: RetryBudget;
  /** How often a request is sent again at most; 0 for one that changes something. */
  readonly retries: number;
  /** Whether the system may still be at work on what got no answer in time: then it is not given the same once more. */
  readonly isSearch?: boolean;
}

/**
 * Sends a request, and again after a passing fault.
 * @throws what `send` throws.
 */
export async function sendRepeatedly<R extends { readonly status: number; readonly headers: object }>(
  send: () => Promise<R>,
  { budget, retries, isSearch = false }: Repeats,
  { signal, timeLeft }: Pick<Call, 'signal' | 'timeLeft'>,
): Promise<R> {
  budget.earn();
  for (let tries = 0; ; tries++) {
    const isLast = tries >= retries;
    try {
      const reply = await send();
      const fails =
        (isSearch ? [502, 503] : [502, 503, 504]).includes(reply.status) && !Reflect.get(reply.headers, 'retry-after');
      if (isLast || !fails || !budget.take()) return reply;
    } catch (error) {
      const passes = isTransient(error) || (timeLeft && !isSearch && isTooLate(error));
      if (isLast || signal.aborted || !passes || !budget.take()) throw error;
    }
    await pauseBeforeRetry(tries, signal);
  }
}

/** Milliseconds for one request: half of the time that is left at most. 0 would mean no limit. */
export const limitTimeout = (timeout: number, timeLeft: Call['timeLeft']): number =>
  timeLeft ? Math.max(1, Math.min(timeout, Math.ceil(timeLeft() / 2))) : timeout;
