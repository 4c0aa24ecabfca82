import type { AdapterImpairment, Log } from '../ports/index.ts';
import type { ComposedAdapter } from './container.ts';
import { Health } from './health.ts';

/** Checks the readiness of each adapter, none of which waits for another. */
export class AdaptersHealth {
  readonly #all: readonly { readonly adapter: string; readonly health: Health }[];

  constructor(adapters: readonly ComposedAdapter[], log: Log) {
    this.#all = adapters.map(({ name, readiness }) => ({ adapter: name, health: new Health(readiness, name, log) }));
  }

  get impairments(): readonly AdapterImpairment[] {
    return this.#all.flatMap(({ adapter, health }) =>
      health.impairments.map(({ code, detail }) => ({ adapter, code, detail })),
    );
  }

  /** Begins to check, at the intervals of `Health.watch`. */
  watch(...intervals: Parameters<Health['watch']>): void {
    for (const { health } of this.#all) void health.watch(...intervals);
  }

  stop(): void {
    for (const { health } of this.#all) health.stop();
  }
}
