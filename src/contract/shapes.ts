import assert from 'node:assert/strict';
import { z } from 'zod';

/** What a value of a request or an answer looks like. */
export type Shape = z.ZodType;

export type Fields = Readonly<Record<string, Shape>>;

/** @throws AssertionError that names each place below `at`, never a value, when the value does not have this shape. */
export function checkShape(shape: Shape, value: unknown, at: string): void {
  const { error } = shape.safeParse(value);
  const faults = error?.issues.map(({ path, message }) => `${[at, ...path].join('/')}: ${message}`) ?? [];
  assert.ok(faults.length === 0, faults.join('\n'));
}

/** A text that does not have this shape. */
export const getMisfit = (shape: Shape): string => String(z.globalRegistry.get(shape)?.misfit ?? '\u0000');

const createPattern = (what: string, form: RegExp, misfit: string) =>
  z.string().regex(form, `is not ${what}`).meta({ misfit });

const month = '(0[1-9]|1[0-2])';
const dayOfMonth = '(0[1-9]|[12]\\d|3[01])';
const time = '([01]\\d|2[0-3]):[0-5]\\d';

export const text = z.string();
export const id = createPattern('an id', /^[^\s/\\?#%]{1,128}$/, 'two words');
export const day = createPattern('a day YYYY-MM-DD', new RegExp(`^\\d{4}-${month}-${dayOfMonth}$`), '2026-02-30');
export const slashDay = createPattern('a day YYYY/MM/DD', new RegExp(`^\\d{4}/${month}/${dayOfMonth}$`), '2026/02/30');
export const localDateTime = createPattern(
  'a local date-time YYYY-MM-DDThh:mm:ss',
  new RegExp(`^\\d{4}-${month}-${dayOfMonth}T${time}:[0-5]\\d$`),
  'noon',
);
export const clock = createPattern('a time hh:mm', new RegExp(`^${time}$`), '25:00');
export const instant = createPattern(
  'a UTC timestamp with milliseconds (ISO 8601)',
  new RegExp(`^\\d{4}-${month}-${dayOfMonth}T${time}:[0-5]\\d\\.\\d{3}Z$`),
  'noon',
);
export const url = createPattern('a URL', /^https?:\/\/\S+$/, 'nowhere');
export const digits = createPattern('a whole number in digits', /^\d+$/, 'many');
export const bool = z.boolean();
export const integer = z.int();
export const number = z.number();

export const enumeration = (...values: readonly string[]) => z.enum(values).meta({ misfit: 'none-of-these' });

/** The document's boolean in words. */
export const flag = enumeration('true', 'false');

export const union = (first: Shape, second: Shape) => z.union([first, second]);
export const { array, nullable } = z;

/** A field that may be missing. */
export const { optional } = z;

/** Exactly these fields: a missing one is an error, and so is one more. */
export const object = z.strictObject;

/** `{}`, or this shape. */
export const orEmpty = (inner: Shape) => z.union([object({}), inner]);

/** A field that the document does not show and the decision records add. */
export const added = <T extends Shape>(inner: T): T => inner;

/** A list with at least one item, so that the shape of its items is checked. */
export const nonEmptyArray = (inner: Shape) =>
  array(inner).min(1, 'is empty: the fixtures must name something that has some');
