import { z } from 'zod';
import { type Day, idPattern } from '../ports/index.ts';

/** True if the day exists in the calendar. The month counts from 1. The year 0 exists only in astronomy. */
function isExistingDay(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const hasExistingDay = (text: string): boolean => {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split(/[-/]/).map(Number);
  return isExistingDay(year, month, day);
};

/**
 * The published patterns are the checks within the limits of generators and validators. They use no `u` flag, no
 * Unicode properties, and only the calendar rules that a regular expression can express.
 */
const daysOf = (separator: string): string => {
  const longMonth = `(0[13578]|1[02])${separator}(0[1-9]|[12]\\d|3[01])`;
  const shortMonth = `(0[469]|11)${separator}(0[1-9]|[12]\\d|30)`;
  return `(${longMonth}|${shortMonth}|02${separator}(0[1-9]|[12]\\d))`;
};
const year = '(?!0000)\\d{4}';
const published = {
  id: '^(?!\\.{1,2}$)[^\\s/\\\\?#%\\u0000-\\u001f\\u007f-\\u009f]{1,128}$',
  dashDay: `^${year}-${daysOf('-')}$`,
  slashDay: `^(${year}/${daysOf('/')}|${year}-${daysOf('-')})$`,
  localDateTime: `^${year}-${daysOf('-')}T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$`,
};

/**
 * An opaque identifier: 1 to 128 visible characters, except those that could change a path. See
 * docs/explanation/decisions/requests.md#no-id-can-bend-a-path.
 */
export const id = z.string().regex(idPattern, 'must be 1 to 128 visible characters without / \\ ? # % or spaces').meta({
  description: 'An opaque identifier, assigned by the institution.',
  minLength: 1,
  maxLength: 128,
  pattern: published.id,
});

/** Unchanged text of at most `max` characters, without control characters except tabs and line breaks. */
export const exactText = (max: number) =>
  z
    .string()
    .max(max, { error: `must have at most ${max} characters`, abort: true })
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing control characters is what it is for
    .regex(/^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]*$/, 'must not contain control characters');

/** Like `exactText`, normalized to NFC. A text of only blanks counts as empty. */
export const text = (max = 500) =>
  exactText(max)
    .normalize('NFC')
    .overwrite((value) => (/\S/.test(value) ? value : ''));

/** Like `text`, without outer blanks and with single spaces inside. */
export const words = () => text().overwrite((value) => value.trim().replaceAll(/\s+/g, ' '));

/** Like `text`, with at least one character that is not white space. */
export const someText = (max = 500) => text(max).regex(/\S/, 'must not be empty');

/** A calendar day `YYYY-MM-DD` in a request. */
export const dashDay = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'must be a date YYYY-MM-DD', abort: true })
  .refine(hasExistingDay, { error: 'must be a date that exists', abort: true })
  .meta({ description: 'A date, `YYYY-MM-DD`.', pattern: published.dashDay });

/** A birth date in a request: `YYYY/MM/DD` as documented, or `YYYY-MM-DD`. Becomes `YYYY-MM-DD`. */
export const slashDay = z
  .string()
  .regex(/^\d{4}([-/])\d{2}\1\d{2}$/, { error: 'must be a date YYYY/MM/DD', abort: true })
  .refine(hasExistingDay, { error: 'must be a date that exists', abort: true })
  .transform((text): Day => text.replaceAll('/', '-'))
  .meta({ description: 'A date, `YYYY/MM/DD`. `YYYY-MM-DD` is also accepted.', pattern: published.slashDay });

/** Like `slashDay`, or empty, because a read returns an unknown birth date like this. */
export const slashDayOrEmpty = z
  .string()
  .regex(/^(\d{4}([-/])\d{2}\2\d{2})?$/, { error: 'must be a date YYYY/MM/DD', abort: true })
  .refine((text) => text === '' || hasExistingDay(text), { error: 'must be a date that exists', abort: true })
  .transform((text): Day | '' => text.replaceAll('/', '-'))
  .meta({ description: 'A date, `YYYY/MM/DD`. `YYYY-MM-DD` is also accepted.', pattern: `^$|${published.slashDay}` });

/** A local date-time without zone in a request, `YYYY-MM-DDThh:mm:ss`. */
export const localDateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/, {
    error: 'must be a local date-time YYYY-MM-DDThh:mm:ss',
    abort: true,
  })
  .refine(hasExistingDay, { error: 'must be a date that exists', abort: true })
  .meta({ pattern: published.localDateTime });

/** A time of day in a request, `hh:mm`. */
export const hourMinute = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time hh:mm');

/** A date-time without zone in a response. */
export const localDateTimeOut = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/)
  .meta({ description: 'Date and time in the institution’s time zone, without an offset.' });

/** A day in a response, `YYYY-MM-DD`. */
export const dayOut = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

/** An instant in a response: UTC with `Z` and milliseconds (RFC 3339). */
export const instantOut = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);

/** A boolean of the API document as text: `"true"` or `"false"`. */
export const flagOut = z.enum(['true', 'false']).meta({ id: 'Flag', description: 'A boolean as text.' });
export const toFlag = (value: boolean): 'true' | 'false' => (value ? 'true' : 'false');

/** The body `{}`, without any field of the answer. */
export const empty: z.ZodType<Record<string, never>, object> = z.object({}).meta({ id: 'Empty' });

/** The modality of an appointment. */
export const modality = z.enum(['in-person', 'virtual']).meta({ id: 'Modality' });

export const appointmentStatus = z.enum(['active', 'canceled']).meta({ id: 'AppointmentStatus' });

export const sortDirection = z.enum(['ASC', 'DESC']).meta({ id: 'SortDirection' });

/** A whole number from `min` to `max`, sent as a string of digits. Publish the bounds as a `pattern`. */
export const digits = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number in digits')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

/**
 * The number of bytes that the text encodes in base64 (RFC 4648, section 4). Undefined if it is not base64, or has
 * unused bits that are not zero.
 */
export function countBase64Bytes(text: string): number | undefined {
  // Decoding is faster than a regular expression over megabytes. It also accepts base64url, and skips all other
  // characters. The last digits, encoded again, reveal unused bits that are not zero.
  if (text.includes('-') || text.includes('_')) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const isWhole = Math.ceil(bytes.length / 3) * 4 === text.length;
  return isWhole && bytes.subarray(bytes.length - (bytes.length % 3 || 3)).toString('base64') === text.slice(-4)
    ? bytes.length
    : undefined;
}

// The ids in requests, each with its source for a caller.

const describeId = (description: string) => id.meta({ description });

export const patientId = describeId('The `id` of a patient, as `GET /patients/search` returns it.');
export const serviceId = describeId(
  'The `id` of a health care service, as `GET /health-care-services/search` returns it.',
);
export const practitionerId = describeId('The `id` of a practitioner, as `GET /practitioner/` returns it.');
export const locationId = describeId('The `id` of a location, as `GET /location/` returns it.');
export const coverageId = describeId(
  'The `id` of a health insurance of the patient, as `GET /patients/{id}/health_insurances` returns it.',
);
export const planId = describeId(
  'The `id` of a plan, as `GET /health_insurance_carriers/{id}/health_insurance_plans/` returns it.',
);
export const appointmentId = describeId(
  'The `id` of an appointment of the patient, as `GET /patients/{id}/appointments` returns it.',
);
export const ticketTypeId = describeId('The `id` of a ticket type, as `GET /ticket_types` returns it.');
export const familyMemberId = describeId(
  'The `id` of a member of the family group, as `GET /patients/{id}/family_group` returns it. It is not the `id` of the relative.',
);
export const reasonId = describeId('The `id` of a reason, as `GET /practitioner/change_request/reasons` returns it.');
