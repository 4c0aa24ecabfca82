import { setTimeout as sleep } from 'node:timers/promises';
import type { Impairment, Log, Readiness } from '../ports/index.ts';

/** Milliseconds between two readiness checks. */
const INTERVAL = 15_000;
/** The same after a surprise. */
const PAUSE = 1_000;

/** Checks the adapter's readiness in the background, so that no probe waits for a backend. */
export class Health {
  readonly #readiness: Readiness | undefined;
  readonly #adapter: string;
  readonly #log: Log;
  readonly #stopped = new AbortController();
  #backend: string | undefined;
  #impairments: readonly Impairment[] = [];

  constructor(readiness: Readiness | undefined, adapter: string, log: Log) {
    this.#readiness = readiness;
    this.#adapter = adapter;
    this.#log = log;
  }

  get impairments(): readonly Impairment[] {
    return this.#impairments;
  }

  /** Checks now, every 15 seconds and at once after a surprise, until `stop`. Logs every change. */
  async watch(interval = INTERVAL, pause = PAUSE): Promise<void> {
    const { signal } = this.#stopped;
    while (this.#readiness && !signal.aborted) {
      const surprised = new AbortController();
      this.#readiness.onSurprise?.(() => surprised.abort());
      await this.#check(this.#readiness, signal);
      await wait(Math.min(pause, interval), signal);
      await wait(interval - pause, AbortSignal.any([signal, surprised.signal]));
    }
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #check(readiness: Readiness, signal: AbortSignal): Promise<void> {
    const before = this.#impairments;
    try {
      const { backend, impairments } = await readiness.report(signal);
      if (backend !== undefined && backend !== this.#backend) {
        this.#log.write('info', 'backend found', { adapter: this.#adapter, backend });
      }
      this.#backend = backend ?? this.#backend;
      this.#impairments = impairments;
    } catch (error) {
      if (signal.aborted) return;
      const cause = error instanceof Error ? error.name : typeof error;
      this.#log.write('error', 'readiness check failed', { adapter: this.#adapter, cause });
      return;
    }
    for (const { code, cause, host } of this.#impairments) {
      if (before.some((known) => known.code === code)) continue;
      this.#log.write('warn', 'adapter impaired', {
        adapter: this.#adapter,
        code,
        ...(cause !== undefined && { cause }),
        ...(host !== undefined && { host }),
      });
    }
    if (before.length > 0 && this.#impairments.length === 0) {
      this.#log.write('info', 'adapter recovered', { adapter: this.#adapter });
    }
  }
}

/** Ends early when the signal aborts, and holds up no exit. */
const wait = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
