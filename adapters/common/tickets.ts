import { z } from 'zod';
import {
  Failure,
  type Instant,
  type NewTicket,
  type Ticket,
  type TicketFilter,
  type TicketType,
} from '../../src/ports/index.ts';
import type { Zone } from '../../src/toolkit/zone.ts';

/** The institution's id of an entry in a file or a setting. */
export const entryId = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores');

/** A ticket type as configured, without its times. */
export const ticketType = z.strictObject({
  id: entryId,
  title: z.string().min(1),
  description: z.string().default(''),
  status: z.enum(['active', 'inactive']).default('active'),
  fields: z.array(
    z.strictObject({
      id: entryId,
      type: z.enum(['string', 'date', 'number', 'boolean', 'file']),
      tooltip: z.string().default(''),
      validationRegex: z.string().default(''),
    }),
  ),
});

/** The fixed part of a ticket field, without its value. */
export const toTicketField = ({ id, type, tooltip }: TicketType['fields'][number]) => ({
  id,
  dataType: type === 'file' ? ('file' as const) : ('string' as const),
  tooltip,
});

/**
 * The values in the form of the ticket.
 * @throws Failure invalid when the type has no such field.
 */
export const fillTicketFields = ({ fields }: TicketType, values: NewTicket['fields']): Ticket['fields'] =>
  values.map(({ id, value }, index) => {
    const field = fields.find((known) => known.id === id);
    if (!field) throw new Failure('invalid', 'the ticket type has no such field', { at: `fields/${index}/id` });
    return { ...toTicketField(field), value };
  });

/** True if the ticket meets every criterion. Days are days in the zone. */
export function matchesTicketFilter(
  ticket: Pick<Ticket, 'createdAt' | 'ticketTypeId' | 'status'>,
  { from, to, ticketTypeId = ticket.ticketTypeId, status = ticket.status }: TicketFilter,
  zone: Zone,
): boolean {
  const day = zone.toLocalDay(ticket.createdAt);
  return ticket.ticketTypeId === ticketTypeId && ticket.status === status && (from ?? day) <= day && day <= (to ?? day);
}

/** The setting that limits the bytes of files in a list of tickets. @param bytes the default. */
export const limitTicketFiles = (bytes: number) =>
  z.strictObject({
    inline: z.boolean().default(true).meta({ description: 'Includes the content of files in lists of tickets.' }),
    bytes: z.int().min(0).default(bytes).meta({
      description: 'Maximum bytes of files in one list, newest tickets first. Further files have an empty value.',
    }),
  });

/** The setting of the reasons for another main practitioner, for systems without such reasons. */
export const changeReasons = z
  .array(z.strictObject({ id: z.string().min(1), label: z.string().min(1) }))
  .min(1)
  .default([
    { id: 'mudanza', label: 'Me mudé' },
    { id: 'horario', label: 'No me sirven los horarios' },
    { id: 'trato', label: 'No estoy conforme con el trato' },
    { id: 'otro', label: 'Otro motivo' },
  ]);

/** Compares instants, the latest first. */
export const compareNewestFirst = (a: { readonly createdAt: Instant }, b: { readonly createdAt: Instant }): number =>
  Date.parse(b.createdAt) - Date.parse(a.createdAt);
