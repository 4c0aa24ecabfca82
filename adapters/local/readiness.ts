import { z } from 'zod';
import { Failure, type Finding, type Impairment, type Readiness, type Report } from '../../src/ports/index.ts';
import { DatabaseUnavailable } from '../../src/toolkit/database/database.ts';
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

  /** Reads alone: what a write would show stands at `/readyz`. */
  async *examine(): AsyncGenerator<Finding> {
    const check = 'database';
    try {
      const [row] = await this.#store.read(
        `SELECT (SELECT count(*) FROM puente_local_tickets) AS tickets,
                (SELECT count(*) FROM puente_local_relatives) AS relatives,
                (SELECT count(*) FROM puente_local_change_requests) AS requests`,
        [],
      );
      const { tickets, relatives, requests } = counts.parse(row);
      const detail = `${this.#backend} answers: ${tickets} tickets, ${relatives} relatives, ${requests} requests for a change`;
      yield { check, ok: true, detail };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const code = error.cause instanceof DatabaseUnavailable ? error.cause.code : error.kind;
      const detail = `${this.#backend} does not answer (${code})`;
      yield { check, ok: false, detail, fix: 'look after the database or the disk', stops: true };
    }
  }
}

// PostgreSQL counts in numbers that may be too large for one of JavaScript.
const count = z.coerce.number();
const counts = z.object({ tickets: count, relatives: count, requests: count });
