import {
  type Call,
  Failure,
  type NewTicket,
  type Ticket,
  type TicketFilter,
  Tickets,
  type TicketType,
} from '../../src/ports/index.ts';
import { throwIfAborted } from '../abort.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { compareNewestFirst } from '../paging.ts';
import { fillTicketFields, matchesTicketFilter } from '../ticket-type.ts';
import type { World } from './world.ts';

export class MemoryTickets extends Tickets {
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async types(call: Call): Promise<readonly TicketType[]> {
    throwIfAborted(call);
    return [...this.#world.ticketTypes.values()].filter(isActive);
  }

  async type(id: string, call: Call): Promise<TicketType> {
    throwIfAborted(call);
    return this.#requireActiveType(id);
  }

  async list(patientId: string, filter: TicketFilter, call: Call): Promise<readonly Ticket[]> {
    throwIfAborted(call);
    const { patients, ticketsOf, zone } = this.#world;
    patients.get(patientId);
    return ticketsOf
      .get(patientId)
      .filter((ticket) => matchesTicketFilter(ticket, filter, zone))
      .reverse()
      .sort(compareNewestFirst);
  }

  async open(patientId: string, ticketTypeId: string, wanted: NewTicket, call: Call): Promise<Ticket> {
    throwIfAborted(call);
    const content = [patientId, ticketTypeId, wanted];
    return this.#world.ticketsOpened.once(call, content, () => this.#open(patientId, ticketTypeId, wanted, call));
  }

  #open(patientId: string, ticketTypeId: string, { observations, fields }: NewTicket, call: Call): Ticket {
    this.#world.patients.get(patientId);
    const type = this.#requireActiveType(ticketTypeId);
    const ticket = deepFreeze<Ticket>({
      id: crypto.randomUUID(),
      createdAt: call.now,
      updatedAt: call.now,
      status: 'pending',
      ticketTypeId,
      observations,
      fields: fillTicketFields(type, fields),
    });
    this.#world.ticketsOf.add(patientId, ticket);
    return ticket;
  }

  #requireActiveType(id: string): TicketType {
    const type = this.#world.ticketTypes.get(id);
    if (!type || !isActive(type)) throw new Failure('not_found', 'there is no such ticket type');
    return type;
  }
}

const isActive = ({ status }: TicketType): boolean => status === 'active';
