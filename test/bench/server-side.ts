/** Loaded into a server before its own code: tells its parent, when asked, how it fared since it was last asked. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds. */
export interface ServerSide {
  /** By how much its event loop was late for a timer of one millisecond. */
  readonly loopP99: number;
  readonly loopLongest: number;
  readonly cpu: number;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let used = process.cpuUsage();

process.on('message', () => {
  const { user, system } = process.cpuUsage(used);
  const [loopP99, loopLongest] = [delay.percentile(99), delay.max].map((ns) => ns / 1e6 - 1) as [number, number];
  process.send?.({ loopP99, loopLongest, cpu: (user + system) / 1e3 } satisfies ServerSide);
  delay.reset();
  used = process.cpuUsage();
});
process.channel?.unref();
