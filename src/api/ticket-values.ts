import type { NewTicket, TicketType, TicketTypeField } from '../ports/index.ts';
import type { Fault } from './problem.ts';
import { Rejection } from './rejection.ts';
import { dashDay, text } from './scalars.ts';
import { PatternMatcher } from './ticket-pattern.ts';

const maxFileBytes = 7 * 1024 * 1024;

/** The most characters that any value may have: those of the largest file in base64. */
export const maxValueLength = 4 * Math.ceil(maxFileBytes / 3);

/** What is wrong with a value of this type, as the end of a sentence; undefined when it fits. */
const findTypeFault: Readonly<Record<TicketTypeField['type'], (value: string) => string | undefined>> = {
  string: () => undefined,
  date: (value) => (dashDay.safeParse(value).success ? undefined : 'must be a date YYYY-MM-DD that exists'),
  number: (value) => (/^-?\d+(\.\d+)?$/.test(value) ? undefined : 'must be a decimal number'),
  boolean: (value) => (value === 'true' || value === 'false' ? undefined : 'must be true or false'),
  file: (value) => {
    const bytes = countBase64Bytes(value);
    if (bytes === undefined) return 'must be base64 (RFC 4648, section 4)';
    return bytes > maxFileBytes ? 'must have at most 7 MiB when decoded' : undefined;
  },
};

/** Digits of base64 that are decoded at a time, a multiple of four. Memory for all of them would cost more than decoding. */
const PIECE = 65_536;
const scratch = Buffer.alloc((PIECE / 4) * 3);

/** How many bytes the text encodes in strict base64; undefined when it is not base64. */
function countBase64Bytes(value: string): number | undefined {
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  // The unused bits of the last digit must be zero, or two texts would encode one file.
  const last = value[value.length - padding - 1] ?? '';
  if (padding === 1 && !/[AEIMQUYcgkosw048]/.test(last)) return undefined;
  if (padding === 2 && !/[AQgw]/.test(last)) return undefined;
  // Decoding is faster than a regular expression over megabytes. It takes the digits of base64url and what is not ASCII,
  // and leaves out everything else.
  if (value.includes('-') || value.includes('_') || Buffer.byteLength(value) > value.length) return undefined;
  const bytes = (value.length / 4) * 3 - padding;
  let decoded = 0;
  for (let i = 0; i < value.length; i += PIECE) decoded += scratch.write(value.slice(i, i + PIECE), 'base64');
  return decoded === bytes ? bytes : undefined;
}

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
  const matcher = new PatternMatcher();
  const accepted = fields.map(({ id, value }, index) => {
    const refuse = (part: 'id' | 'value', message: string) => {
      faults.push({ in: 'body', at: `/fields/${index}/${part}`, message });
      return { id, value };
    };
    const field = known.get(id);
    if (!field) return refuse('id', 'is not a field of this ticket type');
    if (seen.has(id)) return refuse('id', 'occurs twice in this ticket');
    seen.add(id);
    const answer = accept(field, value, matcher);
    return 'fault' in answer ? refuse('value', answer.fault) : { id, value: answer.value };
  });
  if (faults.length > 0) throw new Rejection('validation', { faults });
  const order = [...known.keys()];
  return accepted.filter(({ value }) => value !== '').toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
}
