import type { Call } from '../ports/index.ts';
import { retry } from '../toolkit/backoff.ts';
import { getField } from '../toolkit/records.ts';
import { isTooLate, isTransient } from './failures.ts';

export interface Repeats {
  readonly budget: RetryBudget;
  /** How often a request is sent again at most; 0 for one that changes something. */
  readonly retries: number;
  /** True if the system may still be at work on what got no answer in time: then it is not given the same once more. */
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
  return retry(send, {
    attempts: retries + 1,
    signal,
    afterResult: ({ status, headers }) =>
      (isSearch ? [502, 503] : [502, 503, 504]).includes(status) && !getField(headers, 'retry-after') && budget.take(),
    afterError: (error) =>
      (isTransient(error) || (timeLeft !== undefined && !isSearch && isTooLate(error))) && budget.take(),
  });
}

/** Milliseconds for one request: half of the time that is left at most. 0 would mean no limit. */
export const limitTimeout = (timeout: number, timeLeft: Call['timeLeft']): number =>
  timeLeft ? Math.max(1, Math.min(timeout, Math.ceil(timeLeft() / 2))) : timeout;

/** How many retries are there at the start, and at most: so many a quiet server gets at once. */
const RESERVE = 10;

/** Keeps retries a small share of all requests, so that they do not double the load of a server that can take no more. */
export class RetryBudget {
  readonly #share: number;
  #left = RESERVE;

  /** @param share of the requests that may be sent again, e.g. 0.1. */
  constructor(share: number) {
    this.#share = share;
  }

  /** Counts a request that is sent for the first time. */
  earn(): void {
    this.#left = Math.min(RESERVE, this.#left + this.#share);
  }

  /** True if a request may be sent again, which counts. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
