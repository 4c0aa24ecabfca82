import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between an answer and the kill, at most. */
const LATEST_KILL_MS = 50;

/** Sends all at once, kills at a random instant, and returns what was answered before; undefined for what had no answer. */
export async function killAmid<T>(
  sends: readonly (() => Promise<T>)[],
  kill: () => unknown,
): Promise<readonly (T | undefined)[]> {
  // After so many answers, so that a slow machine is killed in the midst of the writes too.
  let left = randomInt(sends.length);
  const due = Promise.withResolvers<void>();
  if (left === 0) due.resolve();
  const sent = sends.map(async (send) => {
    const answer = await send().catch(() => undefined);
    if (--left === 0) due.resolve();
    return answer;
  });
  await due.promise;
  await sleep(randomInt(LATEST_KILL_MS));
  kill();
  return Promise.all(sent);
}
