import { z } from 'zod';
import { Failure, type Ticket, type Tickets, type TicketType, throwKeyReused } from '../../src/ports/index.ts';
import { throwIfAborted } from '../../src/toolkit/abort.ts';
import { deepFreeze } from '../../src/toolkit/deep-freeze.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import type { OtherPorts } from '../adapter.ts';
import { fillTicketFields } from '../common/ticket-type.ts';
import type { LocalTicketType } from './settings.ts';
import { type LocalStore, listReadable, parseRow, type WriteKey } from './store.ts';

/** Milliseconds since 1970, until the end of the year 9999. Who works on tickets sets them by hand. */
const time = z.coerce.number().int().min(0).max(253_402_300_799_999);
const rowSchema = z.object({
  id: z.string(),
  created_at: time,
  updated_at: time,
  status: z.string(),
  ticket_type_id: z.string(),
  content: z.instanceof(Uint8Array),
});
const keyedRow = z.object({ write_content: z.string() });
const contentSchema = z.object({
  observations: z.string(),
  fields: z.array(
    z.object({ id: z.string(), dataType: z.enum(['string', 'file']), value: z.string(), tooltip: z.string() }),
  ),
}) satisfies z.ZodType<Pick<Ticket, 'observations' | 'fields'>>;

const columns = 'id, created_at, updated_at, status, ticket_type_id, content';

/** Ticket types from the settings, tickets in a table with their fields as they were filed. */
export function createTickets(
  store: LocalStore,
  given: readonly LocalTicketType[],
  zone: Zone,
  others: OtherPorts<'patients.get'>,
): Tickets {
  const active = given.filter(({ status }) => status === 'active');
  const types = new Map(active.map((type) => [type.id, toTicketType(type, zone)]));
  return {
    types: async () => [...types.values()],

    type: async (id) => requireType(id),

    async list(patientId, { from, to, ticketTypeId, status }, call) {
      await others.patients.get(patientId, call);
      const found = await store.read(
        `SELECT ${columns} FROM puente_local_tickets
         WHERE patient_id = $1 AND (created_at >= $2 OR $2 IS NULL) AND (created_at < $3 OR $3 IS NULL)
           AND (ticket_type_id = $4 OR $4 IS NULL) AND (status = $5 OR $5 IS NULL)
         ORDER BY created_at DESC, position DESC`,
        [
          patientId,
          from === undefined ? null : Date.parse(zone.toStartOfDay(from)),
          to === undefined ? null : Date.parse(zone.toEndOfDay(to)),
          ticketTypeId ?? null,
          status ?? null,
        ],
      );
      return listReadable(found, 'ticket', toTicket, call);
    },

    async open(patientId, ticketTypeId, wanted, call) {
      const key = store.computeWriteKey(call, 'ticket', [patientId, ticketTypeId, wanted]);
      const earlier = await findByKey(key);
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
      return (await insert(patientId, ticket, key)) ? ticket : requireByKey(key);
    },
  };

  function requireType(id: string): TicketType {
    const type = types.get(id);
    if (!type) throw new Failure('not_found', 'there is no such ticket type');
    return type;
  }

  /** Whether the ticket was filed; it is not when one with its key is there. */
  async function insert(patientId: string, ticket: Ticket, { key, content }: WriteKey): Promise<boolean> {
    const { id, ticketTypeId, status, createdAt, updatedAt, observations, fields } = ticket;
    const encrypted = store.encrypt({ observations, fields }, 'ticket', id);
    const times = [Date.parse(createdAt), Date.parse(updatedAt)];
    const inserted = await store.write(
      `INSERT INTO puente_local_tickets
         (id, patient_id, ticket_type_id, status, created_at, updated_at, write_key, write_content, content)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (write_key) DO NOTHING RETURNING id`,
      [id, patientId, ticketTypeId, status, ...times, key, content, encrypted],
    );
    return inserted.length > 0;
  }

  /** @throws Failure invalid `idempotency_key_reused` when the ticket with this key is another one. */
  async function findByKey({ key, content }: WriteKey): Promise<Ticket | undefined> {
    if (key === null) return undefined;
    const found = await store.read(`SELECT ${columns}, write_content FROM puente_local_tickets WHERE write_key = $1`, [
      key,
    ]);
    const [row] = found;
    if (row && parseRow(keyedRow, row).write_content !== content) throwKeyReused();
    return row && toTicket(row);
  }

  async function requireByKey(key: WriteKey): Promise<Ticket> {
    const ticket = await findByKey(key);
    if (!ticket) throw new Failure('conflict', 'the ticket that was filed with this key was removed a moment ago');
    return ticket;
  }

  /** @throws Failure bad_answer when the row cannot be read, or its content cannot be decrypted. */
  function toTicket(row: object): Ticket {
    const { id, created_at, updated_at, status, ticket_type_id, content } = parseRow(rowSchema, row);
    const createdAt = new Date(created_at).toISOString();
    const updatedAt = new Date(updated_at).toISOString();
    const written = contentSchema.parse(store.decrypt(content, 'ticket', id));
    return { id, createdAt, updatedAt, status, ticketTypeId: ticket_type_id, ...written };
  }
}

function toTicketType({ created, updated = created, ...type }: LocalTicketType, zone: Zone): TicketType {
  return deepFreeze({ ...type, createdAt: zone.toStartOfDay(created), updatedAt: zone.toStartOfDay(updated) });
}
