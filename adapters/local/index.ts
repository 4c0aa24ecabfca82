import { refuseEndedCalls } from '../../src/toolkit/abort.ts';
import type { DatabaseSettings } from '../../src/toolkit/database/database-settings.ts';
import { openTables } from '../../src/toolkit/database/migrations.ts';
import { openDatabase } from '../../src/toolkit/database/open-database.ts';
import { Zone } from '../../src/toolkit/zone.ts';
import { adapter } from '../adapter.ts';
import { createFamilyGroups } from './family-groups.ts';
import { Outbox } from './outbox.ts';
import { createChangeRequests } from './practitioners.ts';
import { createReadiness } from './readiness.ts';
import { settings } from './settings.ts';
import { createStore, type LocalStore } from './store.ts';
import { localSchema } from './tables.ts';
import { createTickets } from './tickets.ts';

/** Tickets, family groups and requests for a change, kept by the gateway beside a system that does not have them. */
export const local = adapter({
  settings,
  needs: {
    'patients.get': [
      'tickets.list',
      'tickets.open',
      'family-groups.list',
      'family-groups.add',
      'practitioners.requestChange',
      'practitioners.changeRequestOf',
    ],
    'practitioners.list': ['practitioners.requestChange'],
  },
  async offer(settings, { timeZone }, others) {
    const { webhook } = settings;
    // What sends is loaded only where something is sent.
    const send = webhook && (await import('./webhook.ts')).createWebhook(webhook);
    const store = await openStore(settings);
    const outbox = send && new Outbox(store, send, webhook.timeout);
    return {
      tickets: refuseEndedCalls(createTickets(store, settings, new Zone(timeZone), others, outbox)),
      'family-groups': refuseEndedCalls(createFamilyGroups(store, others)),
      practitioners: refuseEndedCalls(createChangeRequests(store, settings.changeReasons, others, outbox)),
      readiness: createReadiness(store, settings.kind, outbox),
      // By its key, or by what it finds, every write knows what was done before.
      retryableWrites: ['tickets.open', 'practitioners.requestChange', 'family-groups.add', 'family-groups.remove'],
      async close() {
        await outbox?.stop();
        await store.close();
      },
    };
  },
});

/** @throws SettingsProblem when a setting cannot be used. */
export const openStore = (settings: DatabaseSettings): Promise<LocalStore> =>
  openDatabase(
    settings,
    async (database, key) => createStore(database, await openTables(database, localSchema, key)),
    'the content of the database',
  );
