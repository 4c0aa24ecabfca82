import { z } from 'zod';
import type { TicketTypeField } from '../src/ports/index.ts';

/** An id that the institution gives to an entry of a file or a setting. */
export const entryId = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores');

/** A ticket type as people write one down, without its times. */
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

/** What a ticket shows of a field besides its value. */
export const toTicketField = ({ id, type, tooltip }: TicketTypeField) => ({
  id,
  dataType: type === 'file' ? ('file' as const) : ('string' as const),
  tooltip,
});
