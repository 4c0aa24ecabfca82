import { Failure, type Ticket, type Tickets, type TicketType } from '../../src/ports/index.ts';
import { throwIfAborted } from '../../src/toolkit/abort.ts';
import { deepFreeze } from '../../src/toolkit/deep-freeze.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import type { OtherPorts } from '../adapter.ts';
import { fillTicketFields } from '../common/ticket-type.ts';
import type { Announcements } from './outbox.ts';
import type { LocalSettings, LocalTicketType } from './settings.ts';
import type { LocalStore } from './store.ts';
import { createTicketRows } from './ticket-rows.ts';

/** Ticket types from the settings, tickets in a table with their fields as they were filed. */
export function createTickets(
  store: LocalStore,
  { ticketTypes, ticketFiles }: Pick<LocalSettings, 'ticketTypes' | 'ticketFiles'>,
  zone: Zone,
  others: OtherPorts<'patients.get'>,
  outbox?: Announcements,
): Tickets {
  const rows = createTicketRows(store, ticketFiles, outbox);
  const active = ticketTypes.filter(({ status }) => status === 'active');
  const types = new Map(active.map((type) => [type.id, toTicketType(type, zone)]));
  return {
    types: async () => [...types.values()],

    type: async (id) => requireType(id),

    async list(patientId, { from, to, ticketTypeId, status }, call) {
      await others.patients.get(patientId, call);
      return rows.list(
        `patient_id = $1 AND (created_at >= $2 OR $2 IS NULL) AND (created_at < $3 OR $3 IS NULL)
           AND (ticket_type_id = $4 OR $4 IS NULL) AND (status = $5 OR $5 IS NULL)`,
        [
          patientId,
          from === undefined ? null : Date.parse(zone.toStartOfDay(from)),
          to === undefined ? null : Date.parse(zone.toEndOfDay(to)),
          ticketTypeId ?? null,
          status ?? null,
        ],
        call,
      );
    },

    async open(patientId, ticketTypeId, wanted, call) {
      const key = store.computeWriteKey(call, 'ticket', [patientId, ticketTypeId, wanted]);
      const earlier = await rows.findByKey(key, call);
      if (earlier) return earlier;
      const type = requireType(ticketTypeId);
      await others.patients.get(patientId, call);
      throwIfAborted(call);
      const ticket: Ticket = {
        id: crypto.randomUUID(),
        createdAt: call.now,
        updatedAt: call.now,
        status: 'pending',
        ticketTypeId,
        observations: wanted.observations,
        fields: fillTicketFields(type, wanted.fields),
      };
      const filed = (await rows.insert(patientId, ticket, key, call)) ?? (await rows.findByKey(key, call));
      if (!filed) throw new Failure('conflict', 'the ticket that was filed with this key was removed a moment ago');
      return filed;
    },
  };

  function requireType(id: string): TicketType {
    const type = types.get(id);
    if (!type) throw new Failure('not_found', 'there is no such ticket type');
    return type;
  }
}

function toTicketType({ created, updated = created, ...type }: LocalTicketType, zone: Zone): TicketType {
  return deepFreeze({ ...type, createdAt: zone.toStartOfDay(created), updatedAt: zone.toStartOfDay(updated) });
}
