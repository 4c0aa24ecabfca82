import assert from 'node:assert/strict';
import { z } from 'zod';

/** The shape of a value in a request or an answer. */
export type Shape = z.ZodType;

/** The same as a document prints it: an object with exactly these fields, or a list with at least one item like this one. */
export type Form = Shape | readonly Form[] | Fields;

export interface Fields {
  readonly [name: string]: Form;
}

/** A value of that form. */
export type Value<F> =
  F extends z.ZodType<infer V>
    ? V
    : F extends readonly (infer I)[]
      ? readonly Value<I>[]
      : { readonly [K in keyof F]: Value<F[K]> };

/** A list is not empty, so that the shape of its items is checked. Of an object a field that is missing is an error, and so is one more. */
export function toShape(form: Form): Shape {
  if (form instanceof z.ZodType) return form;
  if (isList(form))
    return z.array(toShape(form[0]!)).min(1, 'is empty: the fixtures must name something that has some');
  return z.strictObject(Object.fromEntries(Object.entries(form).map(([name, field]) => [name, toShape(field)])));
}

const isList = (form: Exclude<Form, Shape>): form is readonly Form[] => Array.isArray(form);

/** Fields that all look like this. */
export const each = <F extends Form, N extends string>(form: F, ...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, form])) as Readonly<Record<N, F>>;

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

export const union = <A extends Shape, B extends Shape>(first: A, second: B) => z.union([first, second]);
export const { nullable } = z;

/** A list that may be empty. */
export const array = <F extends Form>(item: F) => z.array(toShape(item)) as z.ZodArray<z.ZodType<Value<F>>>;

/** A field that may be missing. */
export const { optional } = z;

/** `{}`, or this shape. */
export const orEmpty = <F extends Form>(inner: F) => union(toShape({}), toShape(inner)) as z.ZodType<Partial<Value<F>>>;
