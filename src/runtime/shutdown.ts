import { writeSync } from 'node:fs';
import type { Drain } from '../http/drain.ts';
import { listFrames } from '../http/errors.ts';
import type { Composition } from './container.ts';
import type { Health } from './health.ts';
import type { WinstonLog } from './logger.ts';

export interface Running {
  readonly drain: Drain;
  readonly health: Health;
  readonly composition: Composition;
  readonly log: WinstonLog;
  /** Milliseconds. */
  readonly shutdown: { readonly drainDelay: number; readonly drainTimeout: number };
}

/** How long a stop may outlast its own timeouts before the process is ended by force, in milliseconds. */
const SLACK = 2_000;
/** How long requests in flight may take to end after a crash, in milliseconds. */
const CRASH_DRAIN = 2_000;

/**
 * Ends the process in good order on SIGTERM and SIGINT, with exit code 0; a second signal ends the waiting. After a
 * crash the requests in flight get two seconds, and the exit code is 1.
 */
export function shutdownOnSignal(running: Running): void {
  const { drainDelay, drainTimeout } = running.shutdown;
  const hurry = new AbortController();
  let told = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (told) {
        hurry.abort();
        return;
      }
      told = true;
      running.log.write('info', 'drain started', { signal });
      void shutdown(running, { delay: drainDelay, timeout: drainTimeout, signal: hurry.signal });
    });
  }
  process.on('uncaughtException', (error) => {
    writeSync(2, formatCrash(error));
    process.exitCode = 1;
    if (told) return;
    told = true;
    void shutdown(running, { delay: 0, timeout: CRASH_DRAIN, signal: hurry.signal }).finally(() => process.exit(1));
  });
}

async function shutdown(
  { drain, health, composition, log }: Running,
  options: Parameters<Drain['run']>[0],
): Promise<void> {
  setTimeout(() => process.exit(1), options.delay + options.timeout + SLACK).unref();
  const cut = await drain.run(options);
  health.stop();
  await composition.close();
  if (cut > 0) log.write('warn', 'drain ended with connections cut');
  else log.write('info', 'drain ended');
  await log.close();
  process.exitCode ??= 0;
}

/** One line that says where our own code broke. The message is left out: it may hold a patient's data. */
const formatCrash = (error: unknown): string =>
  `${JSON.stringify({
    time: new Date().toISOString(),
    level: 'error',
    event: 'crash',
    cause: error instanceof Error ? error.name : typeof error,
    stack: listFrames(error),
  })}\n`;
