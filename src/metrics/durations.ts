import type { TracingChannel } from 'node:diagnostics_channel';
import { subscribe } from '../toolkit/telemetry.ts';

/** Seconds, up to the deadlines of a request. */
export const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Calls the listener with what has ended on the channel and its seconds, until what it returns is called. */
export function subscribeToDurations<C extends object>(
  { start, asyncEnd }: TracingChannel<unknown, C>,
  listen: (ended: C, seconds: number) => void,
): () => void {
  const startTimes = new WeakMap<C, number>();
  const stops = [
    subscribe(start, (begun) => void startTimes.set(begun, performance.now())),
    subscribe(asyncEnd, (ended) => {
      const startedAt = startTimes.get(ended);
      if (startedAt !== undefined) listen(ended, (performance.now() - startedAt) / 1_000);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
