import {
  type Call,
  Failure,
  type NewTicket,
  type Ticket,
  type Tickets,
  type TicketType,
} from '../../src/ports/index.ts';
import { deepFreeze } from '../../src/toolkit/deep-freeze.ts';
import { compareNewestFirst } from '../common/paging.ts';
import { fillTicketFields, matchesTicketFilter } from '../common/ticket-type.ts';
import type { World } from './world.ts';

export function createTickets(world: World): Tickets {
  return {
    types: async () => [...world.ticketTypes.values()].filter(isActive),

    type: async (id) => requireActiveType(id),

    async list(patientId, filter) {
      const { patients, ticketsOf, zone } = world;
      patients.get(patientId);
      return ticketsOf
        .get(patientId)
        .filter((ticket) => matchesTicketFilter(ticket, filter, zone))
        .reverse()
        .sort(compareNewestFirst);
    },

    async open(patientId, ticketTypeId, wanted, call) {
      const content = [patientId, ticketTypeId, wanted];
      return world.ticketsOpened.once(call, content, () => open(patientId, ticketTypeId, wanted, call));
    },
  };

  function open(patientId: string, ticketTypeId: string, { observations, fields }: NewTicket, call: Call): Ticket {
    world.patients.get(patientId);
    const type = requireActiveType(ticketTypeId);
    const ticket = deepFreeze<Ticket>({
      id: crypto.randomUUID(),
      createdAt: call.now,
      updatedAt: call.now,
      status: 'pending',
      ticketTypeId,
      observations,
      fields: fillTicketFields(type, fields),
    });
    world.ticketsOf.add(patientId, ticket);
    return ticket;
  }

  function requireActiveType(id: string): TicketType {
    const type = world.ticketTypes.get(id);
    if (!type || !isActive(type)) throw new Failure('not_found', 'there is no such ticket type');
    return type;
  }
}

const isActive = ({ status }: TicketType): boolean => status === 'active';
