import type { NewTicket, TicketType, TicketTypeField } from '../ports/index.ts';
import { PatternMatcher } from '../toolkit/ticket-pattern.ts';
import { countBase64Bytes } from './base64.ts';
import type { Fault } from './problem.ts';
import { Rejection } from './rejection.ts';
import { dashDay, text } from './scalars.ts';

const maxFileBytes = 7 * 1024 * 1024;

/** The most characters that any value may have: those of the largest file in base64. */
export const maxValueLength = 4 * Math.ceil(maxFileBytes / 3);

/** What is wrong with a value of this type, as the end of a sentence; undefined when it fits. */
const findTypeFault: Readonly<Record<TicketTypeField['type'], (value: string) => string | undefined>> = {
  string: () => undefined,
  date: (value) => (dashDay.safeParse(value).success ? undefined : 'must be a date YYYY-MM-DD that exists'),
  // What a double cannot hold would be sent to a backend as null.
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

/** The value in the form in which it is filed, or what is wrong with it. */
function accept(field: TicketTypeField, raw: string, matcher: PatternMatcher): { value: string } | { fault: string } {
  const plain = field.type === 'file' ? undefined : plainText.safeParse(raw);
  if (plain?.error) return { fault: plain.error.issues[0]?.message ?? 'must be text' };
  const value = plain?.data ?? raw;
  const fault = findTypeFault[field.type](value);
  if (fault) return { fault };
  if (field.type === 'file') return { value };
  return matcher.matches(field.validationRegex, value) ? { value } : { fault: 'must match the pattern of the field' };
}

/**
 * The fields of a ticket as they are filed: each belongs to the type, none occurs twice, every value is of its field's
 * type and, but for files, matches its pattern. They stand in the order of the type, and what was left empty is left out.
 * Text is normalised to NFC.
 * @throws Rejection `validation` with one fault for each value that does not fit.
 * @throws Failure bad_answer when the institution's pattern is not a regular expression.
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
