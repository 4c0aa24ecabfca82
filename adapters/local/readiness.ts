import { DatabaseUnavailable } from '../../src/database/database.ts';
import type { Impairment, Readiness, Report } from '../../src/ports/index.ts';
import type { LocalStore } from './store.ts';

const toImpairment = (code: string): Impairment => ({
  code: 'local_store_unavailable',
  detail: `the database of tickets, family groups and requests for a change does not answer, or takes no writes (${code}), which is tried again every 15 seconds; look after the database or the disk`,
});

/** Whether the database takes writes. */
export class LocalReadiness implements Readiness {
  readonly #store: LocalStore;
  readonly #backend: string;
  /** Whether the last report was good. What is impaired already surprises nobody. */
  #isWell = false;

  constructor(store: LocalStore, backend: string) {
    this.#store = store;
    this.#backend = backend;
  }

  onSurprise(listener: () => void): void {
    this.#store.onFailure(() => {
      if (this.#isWell) listener();
    });
  }

  async report(): Promise<Report> {
    this.#isWell = false;
    try {
      await this.#store.probe();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      return { backend: this.#backend, impairments: [toImpairment(error.code)] };
    }
    this.#isWell = true;
    return { backend: this.#backend, impairments: [] };
  }
}
