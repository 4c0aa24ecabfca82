import { setTimeout as sleep } from 'node:timers/promises';
import type { Impairment, Log, Readiness } from '../ports/index.ts';

/** Milliseconds between two readiness checks. */
const INTERVAL = 15_000;

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

  /** Checks now and every 15 seconds until `stop`. Logs every change. */
  async watch(interval = INTERVAL): Promise<void> {
    const { signal } = this.#stopped;
    while (this.#readiness && !signal.aborted) {
      await this.#check(this.#readiness, signal);
      await sleep(interval, undefined, { signal, ref: false }).catch(() => undefined);
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
      this.#backend = backend;
      this.#impairments = impairments;
    } catch (error) {
      if (signal.aborted) return;
      const cause = error instanceof Error ? error.name : typeof error;
      this.#log.write('error', 'readiness check failed', { adapter: this.#adapter, cause });
      return;
    }
    for (const { code } of this.#impairments) {
      if (before.some((known) => known.code === code)) continue;
      this.#log.write('warn', 'adapter impaired', { adapter: this.#adapter, code });
    }
    if (before.length > 0 && this.#impairments.length === 0) {
      this.#log.write('info', 'adapter recovered', { adapter: this.#adapter });
    }
  }
}
