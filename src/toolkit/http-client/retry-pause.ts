import { setTimeout } from 'node:timers/promises';

/** Milliseconds before the next try: anything up to 50, 100, 200, 400, the longer the more tries there were. */
export const chooseRetryPause = (tries: number): number => Math.random() * Math.min(400, 50 * 2 ** tries);

/** Waits before the next try, so that those who clashed do not meet again, or until the signal aborts. */
export async function pauseBeforeRetry(tries: number, signal: AbortSignal): Promise<void> {
  await setTimeout(chooseRetryPause(tries), undefined, { signal }).catch(() => undefined);
}
