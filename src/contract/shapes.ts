import assert from 'node:assert/strict';

/** What a value of a request or an answer looks like. */
export interface Shape {
  /** @throws AssertionError that names the place `at`, never the value, when it does not have this shape. */
  check(value: unknown, at: string): void;
  /** A text that does not have this shape. */
  readonly misfit: string;
  /** Of an object. */
  readonly fields?: Fields;
  /** What each item of a list looks like. */
  readonly items?: Shape;
  readonly optional?: boolean;
}

export type Fields = Readonly<Record<string, Shape>>;

const createShape = (what: string, fits: (value: unknown) => boolean, misfit = '\u0000'): Shape => ({
  check: (value, at) => assert.ok(fits(value), `${at} is not ${what}, but ${describeKind(value)}`),
  misfit,
});

const describeKind = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? `other text of ${value.length} characters` : `of type ${typeof value}`;
};

const month = '(0[1-9]|1[0-2])';
const dayOfMonth = '(0[1-9]|[12]\\d|3[01])';
const time = '([01]\\d|2[0-3]):[0-5]\\d';

const createPattern = (what: string, form: RegExp, misfit: string): Shape =>
  createShape(what, (value) => typeof value === 'string' && form.test(value), misfit);

export const text = createShape('text', (value) => typeof value === 'string');
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
/** The document's boolean in words. */
export const flag = createPattern('"true" or "false"', /^(true|false)$/, 'perhaps');
export const bool = createShape('a boolean', (value) => typeof value === 'boolean');
export const integer = createShape('an integer', Number.isSafeInteger);
export const number = createShape('a number', Number.isFinite);

export const enumeration = (...values: readonly string[]): Shape =>
  createShape(`one of ${values.join(', ')}`, (value) => values.includes(value as string), 'none-of-these');

export const union = (first: Shape, second: Shape): Shape => ({
  ...first,
  check: (value, at) => {
    try {
      first.check(value, at);
    } catch {
      second.check(value, at);
    }
  },
});

export const nullable = (inner: Shape): Shape => ({
  ...inner,
  check: (value, at) => value === null || inner.check(value, at),
});

/** A field that may be missing. */
export const optional = (inner: Shape): Shape => ({ ...inner, optional: true });

/** `{}`, or this shape. */
export const orEmpty = (inner: Shape): Shape => ({
  ...inner,
  check: (value, at) => {
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
    if (!isEmpty) inner.check(value, at);
  },
});

/** A field that the document does not show and the decision records add. */
export const added = (inner: Shape): Shape => inner;

/** A list, which may be empty. */
export const array = (inner: Shape): Shape => ({
  check: (value, at) => {
    assert.ok(Array.isArray(value), `${at} is not a list, but ${describeKind(value)}`);
    value.forEach((item, index) => {
      inner.check(item, `${at}/${index}`);
    });
  },
  misfit: 'a list',
  items: inner,
});

/** A list with at least one item, so that the shape of its items is checked. */
export const nonEmptyArray = (inner: Shape): Shape => ({
  ...array(inner),
  check: (value, at) => {
    array(inner).check(value, at);
    assert.ok((value as unknown[]).length > 0, `${at} is empty: the fixtures must name something that has some`);
  },
});

/** Exactly these fields: a missing one is an error, and so is one more. */
export const object = (fields: Fields): Shape => ({
  check: (value, at) => {
    assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `${at} is not an object`);
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
    assert.deepEqual(unknown, [], `${at} has fields that are not documented`);
    for (const [key, field] of Object.entries(fields)) {
      if (Object.hasOwn(value, key)) field.check((value as Record<string, unknown>)[key], `${at}/${key}`);
      else assert.ok(field.optional, `${at}/${key} is missing`);
    }
  },
  misfit: 'an object',
  fields,
});
