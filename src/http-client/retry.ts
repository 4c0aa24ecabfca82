import type { Call } from '../ports/index.ts';
import { retry } from '../toolkit/backoff.ts';
import { getField } from '../toolkit/records.ts';
import { isTooLate, isTransient } from './failures.ts';

export interface Repeats {
  readonly budget: RetryBudget;
  /** The maximum number of retries; 0 for a write. */
  readonly retries: number;
  /** True if the system may still work on a request that timed out. Such a request is not sent again. */
  readonly isSearch?: boolean;
}

/**
 * Sends a request, and retries after a temporary fault.
 * @throws the error of the last `send`.
 */
export async function sendRepeatedly<R extends { readonly status: number; readonly headers: object }>(
  send: () => Promise<R>,
  { budget, retries, isSearch = false }: Repeats,
  { signal, timeLeft }: Pick<Call, 'signal' | 'timeLeft'>,
): Promise<R> {
  budget.earn();
  return retry(send, {
    attempts: retries + 1,
    signal,
    afterResult: ({ status, headers }) =>
      (isSearch ? [502, 503] : [502, 503, 504]).includes(status) && !getField(headers, 'retry-after') && budget.take(),
    afterError: (error) =>
      (isTransient(error) || (timeLeft !== undefined && !isSearch && isTooLate(error))) && budget.take(),
  });
}

/**
 * The time limit of one request in milliseconds: at most half of the remaining time. It is never 0, because axios takes
 * 0 for no limit.
 */
export const limitTimeout = (timeout: number, timeLeft: Call['timeLeft']): number =>
  timeLeft ? Math.max(1, Math.min(timeout, Math.ceil(timeLeft() / 2))) : timeout;

/** The initial and maximum number of saved retries, which a server with few requests gets at once. */
const RESERVE = 10;

/** Limits retries to a small share of all requests. Retries then do not double the load of an overloaded server. */
export class RetryBudget {
  readonly #share: number;
  #left = RESERVE;

  /** @param share of the requests that may be retried, e.g. 0.1. */
  constructor(share: number) {
    this.#share = share;
  }

  /** Counts the first attempt of a request. */
  earn(): void {
    this.#left = Math.min(RESERVE, this.#left + this.#share);
  }

  /** Returns true if a request may be retried, and counts the retry. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
