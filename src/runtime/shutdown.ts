import type { Container } from 'inversify';
import type { DrainOptions } from '../http/drain.ts';
import { parts } from './parts.ts';

/** Milliseconds that a shutdown may exceed its timeouts before the process exits by force. */
const SLACK = 2_000;

/**
 * Shuts down gracefully on SIGTERM and SIGINT, with exit code 0. A second signal ends the wait.
 * @param listening a start that a signal does not stop, because the audit trail may have begun. The shutdown follows it.
 */
export function shutdownOnSignal(container: Container, listening: Promise<unknown>): void {
  const { drainDelay, drainTimeout, idleTimeout } = container.get(parts.config).config.shutdown;
  const log = container.get(parts.log);
  const skipWait = new AbortController();
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) {
        skipWait.abort();
        return;
      }
      stopping = true;
      log.write('info', 'drain started', { signal });
      const options = { delay: drainDelay, timeout: drainTimeout, idleTimeout, signal: skipWait.signal };
      // The caller reports a failed start.
      void listening.then(
        () => shutdown(container, options),
        () => undefined,
      );
    });
  }
  // Without a listener, Node would open its inspector, which exposes the memory to anyone who connects.
  process.on('SIGUSR1', () => undefined);
}

/** Milliseconds. */
const PARENT_INTERVAL = 200;

/**
 * Ends as by SIGTERM after the end of the parent process: npm runs a script in a shell, and sends signals only to the
 * shell.
 */
export function shutdownWithParent(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_INTERVAL).unref();
}

async function shutdown(container: Container, options: DrainOptions): Promise<void> {
  setTimeout(() => process.exit(1), options.delay + options.timeout + SLACK).unref();
  const log = container.get(parts.log);
  const incomplete = await container.get(parts.drain).run(container.get(parts.server), options);
  // Before the state, which closes together with all other parts.
  await container.get(parts.audit)?.close();
  await container.unbindAllAsync();
  if (incomplete > 0) log.write('warn', 'drain incomplete');
  else log.write('info', 'drain completed');
  await log.close?.();
  // An open handle of an adapter or a middleware, such as a request to a silent system, must not delay a restart.
  process.exit();
}
