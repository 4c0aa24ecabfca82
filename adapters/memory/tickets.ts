import {
  type Call,
  type Day,
  Failure,
  type NewTicket,
  type Ticket,
  type TicketFilter,
  Tickets,
  type TicketType,
  type TicketTypeField,
} from '../../src/ports/index.ts';
import { inTime } from './deadline.ts';
import { frozen } from './frozen.ts';
import type { World } from './world.ts';

export class MemoryTickets extends Tickets {
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async types(call: Call): Promise<readonly TicketType[]> {
    inTime(call);
    return [...this.#world.ticketTypes.values()].filter(isActive);
  }

  async type(id: string, call: Call): Promise<TicketType> {
    inTime(call);
    return this.#activeType(id);
  }

  async list(patientId: string, filter: TicketFilter, call: Call): Promise<readonly Ticket[]> {
    inTime(call);
    const { patients, ticketsOf, zone } = this.#world;
    patients.get(patientId);
    return ticketsOf
      .of(patientId)
      .filter((ticket) => passes(ticket, filter, zone.dayOf(ticket.createdAt)))
      .reverse()
      .sort((a, b) => (a.createdAt > b.createdAt ? -1 : a.createdAt < b.createdAt ? 1 : 0));
  }

  async open(patientId: string, ticketTypeId: string, ticket: NewTicket, call: Call): Promise<Ticket> {
    inTime(call);
    this.#world.patients.get(patientId);
    const type = this.#activeType(ticketTypeId);
    const filed = frozen<Ticket>({
      id: crypto.randomUUID(),
      createdAt: call.now,
      updatedAt: call.now,
      status: 'pending',
      ticketTypeId,
      observations: ticket.observations,
      fields: ticket.fields.map(({ id, value }, index) => {
        const field = type.fields.find((known) => known.id === id);
        if (!field) throw new Failure('invalid', 'the ticket type has no such field', { at: `fields/${index}/id` });
        return { ...toTicketField(field), value };
      }),
    });
    this.#world.ticketsOf.add(patientId, filed);
    return filed;
  }

  #activeType(id: string): TicketType {
    const type = this.#world.ticketTypes.get(id);
    if (!type || !isActive(type)) throw new Failure('not_found', 'there is no such ticket type');
    return type;
  }
}

const passes = (ticket: Ticket, { from, to, ticketTypeId, status }: TicketFilter, created: Day): boolean =>
  (from === undefined || created >= from) &&
  (to === undefined || created <= to) &&
  (ticketTypeId === undefined || ticket.ticketTypeId === ticketTypeId) &&
  (status === undefined || ticket.status === status);

const isActive = ({ status }: TicketType): boolean => status === 'active';

/** What a ticket shows of a field besides its value. */
export const toTicketField = ({ id, type, tooltip }: TicketTypeField) => ({
  id,
  dataType: type === 'file' ? ('file' as const) : ('string' as const),
  tooltip,
});
