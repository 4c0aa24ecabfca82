import { writeSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Drain } from '../http/drain.ts';
import { listFrames } from '../http/errors.ts';
import type { State } from '../state/state.ts';
import type { Composition } from './container.ts';
import type { WinstonLog } from './logger.ts';

export interface Running {
  readonly drain: Drain;
  /** Serves the probes until the end. */
  readonly ops: Server | undefined;
  /** What looks at other systems in the background. */
  readonly health: readonly { stop(): void }[];
  readonly composition: Composition;
  readonly state: State;
  readonly log: WinstonLog;
  /** Milliseconds. */
  readonly shutdown: { readonly drainDelay: number; readonly drainTimeout: number; readonly idleTimeout: number };
}

/** Milliseconds that a shutdown may exceed its timeouts before the process exits by force. */
const SLACK = 2_000;
/** Milliseconds for the requests in flight and the running writes after a crash. */
const CRASH_DRAIN_TIMEOUT = 2_000;

/**
 * Shuts down gracefully on SIGTERM, SIGINT and SIGHUP, with exit code 0; a second signal ends the waiting. After an uncaught
 * exception the requests in flight and the running writes have two seconds to complete, and the exit code is 1.
 */
export function shutdownOnSignal(running: Running): void {
  const { drainDelay, drainTimeout, idleTimeout } = running.shutdown;
  const skipWait = new AbortController();
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) {
        skipWait.abort();
        return;
      }
      stopping = true;
      running.log.write('info', 'drain started', { signal });
      void shutdown(running, { delay: drainDelay, timeout: drainTimeout, idleTimeout, signal: skipWait.signal });
    });
  }
  // Without a listener, Node opens its inspector, which shows the memory to whoever connects.
  process.on('SIGUSR1', () => undefined);
  process.on('uncaughtException', (error) => {
    writeCrash(error);
    process.exitCode = 1;
    if (stopping) return;
    stopping = true;
    void shutdown(running, { delay: 0, timeout: CRASH_DRAIN_TIMEOUT, idleTimeout, signal: skipWait.signal }).finally(
      () => process.exit(1),
    );
  });
}

/** Milliseconds. */
const PARENT_INTERVAL = 200;

/**
 * Ends as by SIGTERM when the process that started this one has ended: npm runs a script in a shell, and sends signals to
 * the shell alone.
 */
export function shutdownWithParent(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_INTERVAL).unref();
}

async function shutdown(
  { drain, ops, health, composition, state, log }: Running,
  options: Parameters<Drain['run']>[0],
): Promise<void> {
  setTimeout(() => process.exit(1), options.delay + options.timeout + SLACK).unref();
  const incomplete = await drain.run(options);
  for (const each of health) each.stop();
  ops?.close();
  ops?.closeAllConnections();
  await Promise.all([composition.close(), state.close()]);
  if (incomplete > 0) log.write('warn', 'drain incomplete');
  else log.write('info', 'drain completed');
  await log.close();
  process.exitCode ??= 0;
}

/** What cannot be told does not keep the requests in flight from being completed. */
function writeCrash(error: unknown): void {
  try {
    writeSync(2, formatCrash(error));
  } catch {}
}

/** One log line that says where our own code threw. Leaves out the message, which may contain patient data. */
const formatCrash = (error: unknown): string =>
  `${JSON.stringify({
    time: new Date().toISOString(),
    level: 'error',
    event: 'crashed',
    cause: error instanceof Error ? error.name : typeof error,
    stack: listFrames(error),
  })}\n`;
