/** Loaded into a server before its own code: tells its parent, when asked, how it fared since it was last asked. */
import { type Profiler, Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds. */
export interface ServerSide {
  /** By how much its event loop was late for a timer of one millisecond. */
  readonly loopP99: number;
  readonly loopLongest: number;
  readonly cpu: number;
  /** Of the time since `profile` was asked for, if it was. */
  readonly profile?: Profiler.Profile;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let used = process.cpuUsage();
let profiler: Session | undefined;

process.on('message', async (message) => {
  const { user, system } = process.cpuUsage(used);
  const [loopP99, loopLongest] = [delay.percentile(99), delay.max].map((ns) => ns / 1e6 - 1) as [number, number];
  const stopped = await profiler?.post('Profiler.stop');
  profiler?.disconnect();
  profiler = message === 'profile' ? await startProfiler() : undefined;
  process.send?.({ loopP99, loopLongest, cpu: (user + system) / 1e3, ...stopped } satisfies ServerSide);
  delay.reset();
  used = process.cpuUsage();
});
process.channel?.unref();

async function startProfiler(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  return session;
}
