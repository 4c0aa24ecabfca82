import { setTimeout as sleep } from 'node:timers/promises';
import type { Impairment, Log, Readiness } from '../ports/index.ts';

/** Milliseconds between two looks at the adapter. */
const INTERVAL = 15_000;

/** What is known of the adapter's readiness, found out in the background, so that no probe ever waits for a backend. */
export class Health {
  readonly #readiness: Readiness | undefined;
  readonly #adapter: string;
  readonly #log: Log;
  readonly #over = new AbortController();
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

  /** Looks at once, and again every 15 seconds until `stop`. Every change is a line of the log. */
  async watch(interval = INTERVAL): Promise<void> {
    const { signal } = this.#over;
    while (this.#readiness && !signal.aborted) {
      await this.#look(this.#readiness, signal);
      await sleep(interval, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  stop(): void {
    this.#over.abort();
  }

  async #look(readiness: Readiness, signal: AbortSignal): Promise<void> {
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
      this.#log.write('error', 'readiness cannot be told', { adapter: this.#adapter, cause });
      return;
    }
    for (const { code } of this.#impairments) {
      if (before.some((known) => known.code === code)) continue;
      this.#log.write('warn', 'adapter is impaired', { adapter: this.#adapter, code });
    }
    if (before.length > 0 && this.#impairments.length === 0) {
      this.#log.write('info', 'adapter is impaired no more', { adapter: this.#adapter });
    }
  }
}
