import { z } from 'zod';
import type { NewTicket, TicketFilter, TicketType, TicketTypeField } from '../../ports/index.ts';
import { toRecord } from '../../toolkit/records.ts';
import { PatternMatcher } from '../../toolkit/ticket-pattern.ts';
import { checkBeforeWrite } from '../check-before-write.ts';
import { operation } from '../operation.ts';
import type { Fault } from '../problems.ts';
import { Rejection } from '../rejection.ts';
import {
  countBase64Bytes,
  dashDay,
  empty,
  exactText,
  id,
  instantOut,
  patientId,
  text,
  ticketTypeId,
} from '../scalars.ts';

const maxFileBytes = 7 * 1024 * 1024;

/** The maximum number of characters of any value: the size of the largest file in base64. */
export const maxValueLength = 4 * Math.ceil(maxFileBytes / 3);

/** The fault of a value of this type, as the end of a sentence. Undefined for a valid value. */
const findTypeFault: Readonly<Record<TicketTypeField['type'], (value: string) => string | undefined>> = {
  string: () => undefined,
  date: (value) => (dashDay.safeParse(value).success ? undefined : 'must be a date YYYY-MM-DD that exists'),
  // A number beyond a double would reach a backend as null.
  number: (value) =>
    /^-?\d+(\.\d+)?$/.test(value) && Number.isFinite(Number(value)) ? undefined : 'must be a decimal number',
  boolean: (value) => (value === 'true' || value === 'false' ? undefined : 'must be true or false'),
  file: (value) => {
    const bytes = countBase64Bytes(value);
    if (bytes === undefined) return 'must be base64 (RFC 4648, section 4)';
    return bytes > maxFileBytes ? 'must have at most 7 MiB when decoded' : undefined;
  },
};

const plainText = text(4000);

/** The value in its stored form, or its fault. */
function accept(field: TicketTypeField, raw: string, matcher: PatternMatcher): { value: string } | { fault: string } {
  const plain = field.type === 'file' ? undefined : plainText.safeParse(raw);
  if (plain?.error) return { fault: plain.error.issues[0]?.message ?? 'must be text' };
  const value = plain?.data ?? raw;
  if (value === '') return { value };
  const fault = findTypeFault[field.type](value);
  if (fault) return { fault };
  if (field.type === 'file') return { value };
  return matcher.matches(field.validationRegex, value) ? { value } : { fault: 'must match the pattern of the field' };
}

/**
 * Returns the fields of a ticket in their stored form, in the order of the type. Empty values count as absent. Each
 * field belongs to the type, and none occurs twice. Every value has its field's type and, except files, matches its
 * pattern. Text is normalized to NFC.
 * @throws Rejection `validation` with one fault for each invalid value.
 * @throws Failure bad_answer if the institution's pattern is not a regular expression.
 */
export function validateTicketFields(type: TicketType, fields: NewTicket['fields']): NewTicket['fields'] {
  const known = new Map(type.fields.map((field) => [field.id, field]));
  const seen = new Set<string>();
  const faults: Fault[] = [];
  const accepted: { id: string; value: string }[] = [];
  const matcher = new PatternMatcher();
  for (const [index, { id, value }] of fields.entries()) {
    const refuse = (part: 'id' | 'value', message: string) =>
      void faults.push({ in: 'body', at: `/fields/${index}/${part}`, message });
    const field = known.get(id);
    if (!field) refuse('id', 'is not a field of this ticket type');
    else if (seen.has(id)) refuse('id', 'occurs twice in this ticket');
    else {
      seen.add(id);
      const answer = accept(field, value, matcher);
      if ('fault' in answer) refuse('value', answer.fault);
      else accepted.push({ id, value: answer.value });
    }
  }
  if (faults.length > 0) throw new Rejection('validation', { faults });
  const order = [...known.keys()];
  return accepted.filter(({ value }) => value !== '').toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
}

const fieldType = z.enum(['string', 'date', 'number', 'boolean', 'file']).meta({
  id: 'TicketFieldType',
  description:
    'The type of the value: text, a date `YYYY-MM-DD`, a decimal number, `true` or `false`, or a file in base64.',
});

const ticketTypeBody = z
  .object({
    id,
    created_at: instantOut,
    updated_at: instantOut,
    status: z.string().meta({ description: 'Types with status `active` accept tickets.' }),
    title: z.string(),
    description: z.string(),
    fields: z.array(
      z.object({
        id,
        type: fieldType,
        tooltip: z.string(),
        validationRegex: z.string().meta({
          description:
            'The regular expression that the whole value must match. An empty expression accepts every value. The expression does not apply to files. The institution writes the expression for ECMAScript with the flag `u` (ECMA-262). The expression may use Unicode properties such as `\\p{L}`, which other engines lack. A client whose engine does not support a pattern can leave the check to the gateway.',
        }),
      }),
    ),
  })
  .meta({ id: 'TicketType' });

const ticketBody = z
  .object({
    uid: id.meta({ description: 'The id of the ticket.' }),
    createdAt: instantOut,
    updatedAt: instantOut,
    status: z.string(),
    ticket_type_id: z.string().meta({ description: 'Empty if the institution’s system does not have it.' }),
    observations: z.string(),
    fields: z.array(
      z.object({
        id: z.string(),
        dataType: z.enum(['string', 'file']).meta({ id: 'TicketValueType' }),
        value: z.string().meta({ description: 'For `file`, the content in base64.' }),
        tooltip: z.string(),
      }),
    ),
  })
  .meta({ id: 'Ticket' });

export const listTicketTypes = operation({
  name: 'listTicketTypes',
  route: 'GET /ticket_types',
  summary: 'List ticket types',
  additions: ['Only types with status `active` are listed.'],
  scope: 'tickets:read',
  uses: ['tickets.types'],
  example: {},
  returns: [200, z.array(ticketTypeBody)],
  handle: async (tickets, _input, call) => {
    const types = await tickets.types(call);
    return types.map(({ createdAt, updatedAt, fields, ...type }) => ({
      ...type,
      created_at: createdAt,
      updated_at: updatedAt,
      fields: [...fields],
    }));
  },
});

/** Compared exactly, because the institution chooses its words, and their form. */
const status = exactText(100).min(1, 'must not be empty');

export const listTickets = operation({
  name: 'listTickets',
  route: 'GET /patients/{id}/ticket/',
  summary: 'List a patient’s tickets',
  additions: [
    'Sorted by creation, newest first. `start_date` and `end_date` are days in the institution’s time zone, both inclusive, and refer to `createdAt`.',
  ],
  scope: 'tickets:read',
  uses: ['tickets.list'],
  params: z.object({ id: patientId }),
  query: z
    .object({ start_date: dashDay, end_date: dashDay, ticket_type_id: ticketTypeId, status })
    .partial()
    .refine(({ start_date, end_date }) => !(start_date && end_date && end_date < start_date), {
      error: 'must not be before start_date',
      path: ['end_date'],
    }),
  example: (ahead) => ({
    params: { id: 'ana' },
    query: {
      start_date: ahead(-52, 'MONDAY'),
      end_date: ahead(0, 'SUNDAY'),
      ticket_type_id: 'receta',
      status: 'completed',
    },
  }),
  returns: [200, z.array(ticketBody)],
  fails: ['not_found'],
  places: {
    from: 'query /start_date',
    to: 'query /end_date',
    ticketTypeId: 'query /ticket_type_id',
    status: 'query /status',
  },
  handle: async (tickets, { params, query }, call) => {
    const found = await tickets.list(
      params.id,
      toRecord<TicketFilter>({
        from: query.start_date,
        to: query.end_date,
        ticketTypeId: query.ticket_type_id,
        status: query.status,
      }),
      call,
    );
    return found.map(({ id, ticketTypeId, fields, ...ticket }) => ({
      ...ticket,
      uid: id,
      ticket_type_id: ticketTypeId,
      fields: [...fields],
    }));
  },
});

export const openTicket = operation({
  name: 'openTicket',
  route: 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket',
  summary: 'File a ticket',
  additions: [
    'A type that does not exist or is not active is 404. A field is 422 if the type does not have it, if it occurs twice, or if its value does not match the type or the `validationRegex` of the field. All fields are optional, and an empty value counts as absent. A ticket returns its fields in the order of its type.',
    'Values of `file` fields are base64 (RFC 4648, section 4), at most 7 MiB when decoded. Other values have at most 4,000 characters.',
  ],
  scope: 'tickets:write',
  uses: ['tickets.open', 'tickets.type'],
  params: z.object({ id: patientId, ticket_type_id: ticketTypeId }),
  body: z.strictObject({
    observations: text(4000).default(''),
    fields: z
      .array(
        z
          .strictObject({
            id: id.meta({ description: 'The id of a field of the ticket type.' }),
            value: z.string().max(maxValueLength, 'is too long'),
          })
          .meta({ id: 'TicketFieldValue' }),
      )
      .max(50, 'must have at most 50 fields')
      .default([]),
  }),
  bodyLimit: 10 * 1024 * 1024,
  example: (ahead) => ({
    params: { id: 'ana', ticket_type_id: 'receta' },
    body: {
      observations: 'Se me termina la semana que viene.',
      fields: [
        { id: 'medicamento', value: 'Enalapril 10 mg' },
        { id: 'dosis', value: 'Un comprimido por día' },
        { id: 'fecha', value: ahead(1, 'MONDAY') },
      ],
    },
  }),
  returns: [201, empty],
  fails: ['not_found'],
  places: { observations: 'body /observations' },
  handle: async (tickets, { params, body }, call) => {
    const check = async () => {
      const type = await tickets.type(params.ticket_type_id, call);
      return { type, fields: validateTicketFields(type, body.fields) };
    };
    const { type, fields } = await checkBeforeWrite(check, call);
    return tickets.open(params.id, type.id, { observations: body.observations, fields }, call);
  },
});
