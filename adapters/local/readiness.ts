import { z } from 'zod';
import { Failure, type Finding, type Impairment, type Readiness, type Report } from '../../src/ports/index.ts';
import { describeDatabaseCode } from '../../src/toolkit/database/causes.ts';
import { DatabaseUnavailable } from '../../src/toolkit/database/database.ts';
import type { Outbox } from './outbox.ts';
import type { LocalStore } from './store.ts';

const toImpairment = (code: string): Impairment => ({
  code: 'local_store_unavailable',
  detail: `the database of tickets, family groups and requests for a change does not answer, or takes no writes, which is tried again every 15 seconds (${describeDatabaseCode(code)})`,
  cause: code,
});

const toWebhookImpairment = (cause: string): Impairment => ({
  code: 'webhook_unavailable',
  cause,
  detail: `the receiver of the webhook does not take what has arrived (${cause}), which is tried again until it does; look after the receiver, or after webhook.url and webhook.secret`,
});

/** Whether the database takes writes, and the receiver of the webhook what has arrived. */
export function createReadiness(store: LocalStore, backend: string, outbox?: Outbox) {
  // Whether the last report was good: a fault of what is impaired already changes no report.
  let isWell = false;
  return {
    onSurprise(listener: () => void) {
      store.onFailure(() => {
        if (isWell) listener();
      });
    },

    async report(_signal?: AbortSignal, { readsOnly = false } = {}): Promise<Report> {
      // A gateway asks so when it serves; commands that only look send nothing.
      if (!readsOnly) outbox?.start();
      isWell = false;
      try {
        await store.probe();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        return { backend, impairments: [toImpairment(error.code)] };
      }
      isWell = true;
      const failure = outbox?.failure;
      return { backend, impairments: failure === undefined ? [] : [toWebhookImpairment(failure)] };
    },

    // Reads alone: what a write would show stands at `/readyz`.
    async *examine(): AsyncGenerator<Finding> {
      const check = 'database';
      try {
        const [row] = await store.read(
          `SELECT (SELECT count(*) FROM puente_local_tickets) AS tickets,
                  (SELECT count(*) FROM puente_local_relatives) AS relatives,
                  (SELECT count(*) FROM puente_local_change_requests) AS requests`,
          [],
        );
        const { tickets, relatives, requests } = counts.parse(row);
        const detail = `${backend} answers: ${tickets} tickets, ${relatives} relatives, ${requests} requests for a change`;
        yield { check, ok: true, detail };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const code = error.cause instanceof DatabaseUnavailable ? error.cause.code : error.kind;
        const detail = `${backend} does not answer (${describeDatabaseCode(code)})`;
        yield { check, ok: false, detail, fix: 'look after the database or the disk', stops: true };
      }
    },
  } satisfies Readiness;
}

// PostgreSQL counts in numbers that may be too large for one of JavaScript.
const count = z.coerce.number();
const counts = z.object({ tickets: count, relatives: count, requests: count });
