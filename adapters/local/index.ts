import { z } from 'zod';
import { type DatabaseSettings, DatabaseUnavailable, describeDatabaseCode } from '../../src/database/database.ts';
import { openTables } from '../../src/database/migrations.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import type { Owner } from '../../src/database/owner.ts';
import { Failure, type Finding, type Impairment, type Readiness, type Report } from '../../src/ports/index.ts';
import { refuseEndedCalls } from '../../src/toolkit/failures.ts';
import { Zone } from '../../src/toolkit/zone.ts';
import { adapter } from '../adapter.ts';
import { LocalFamilyGroups } from './family-groups.ts';
import { Outbox } from './outbox.ts';
import { ChangeRequests } from './practitioners.ts';
import { settings } from './settings.ts';
import { LocalStore, localSchema } from './store.ts';
import { LocalTickets } from './tickets.ts';

/** Tickets, family groups and change requests. The gateway stores them for an institution whose system does not. */
export const local = adapter({
  settings,
  needs: {
    'patients.get': [
      'tickets.list',
      'tickets.open',
      'family-groups.list',
      'family-groups.add',
      'family-groups.remove',
      'practitioners.requestChange',
      'practitioners.changeRequestOf',
    ],
    'practitioners.list': ['practitioners.requestChange'],
  },
  async offer(settings, institution, others) {
    const { webhook } = settings;
    // The module is loaded only if a webhook is configured.
    const send = webhook && (await import('./outbox.ts')).createWebhook(webhook);
    const store = await openStore(settings, institution);
    const outbox = send && new Outbox(store, send, webhook.timeout);
    return {
      tickets: refuseEndedCalls(
        new LocalTickets({ store, settings, zone: new Zone(institution.timeZone), others, outbox }),
      ),
      'family-groups': refuseEndedCalls(new LocalFamilyGroups(store, others)),
      practitioners: refuseEndedCalls(new ChangeRequests(store, settings.changeReasons, others, outbox)),
      readiness: createReadiness(store, settings.kind, outbox),
      // Every write detects an earlier attempt, by its key or by its lookup.
      retryableWrites: ['tickets.open', 'practitioners.requestChange', 'family-groups.add', 'family-groups.remove'],
      async close() {
        await outbox?.stop();
        await store.close();
      },
    };
  },
});

/** @throws SettingsProblem when a setting cannot be used. */
export const openStore = (settings: DatabaseSettings, owner: Owner): Promise<LocalStore> =>
  openDatabase(
    settings,
    async (database, key) => new LocalStore(database, await openTables(database, localSchema, key, owner)),
    'the content of the database',
  );

const toImpairment = (code: string): Impairment => ({
  code: 'local_store_unavailable',
  detail: `the database of tickets, family groups and requests for a change does not answer, or takes no writes, which is tried again every 15 seconds (${describeDatabaseCode(code)})`,
  cause: code,
});

const toWebhookImpairment = (cause: string): Impairment => ({
  code: 'webhook_unavailable',
  cause,
  detail: `the receiver of the webhook does not take what has arrived (${cause}), which is tried again until it does; check the receiver, webhook.url and webhook.secret`,
});

/** Reports whether the database accepts writes, and the webhook's receiver the messages. */
function createReadiness(store: LocalStore, backend: string, outbox?: Outbox) {
  // True if the last report had no impairment. Otherwise a further fault does not change the report.
  let isWell = false;
  return {
    onSurprise(listener: () => void) {
      store.onFailure(() => {
        if (isWell) listener();
      });
    },

    async report(_signal?: AbortSignal, { readsOnly = false } = {}): Promise<Report> {
      // A serving gateway asks without `readsOnly`. Commands that only read send nothing.
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

    // Reads only. `/readyz` shows whether writes succeed.
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
        yield { check, ok: false, detail, fix: 'check the database and the disk', stops: true };
      }
    },
  } satisfies Readiness;
}

// PostgreSQL's counts may exceed JavaScript's safe integers.
const count = z.coerce.number();
const counts = z.object({ tickets: count, relatives: count, requests: count });
