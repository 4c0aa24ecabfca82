import assert from 'node:assert/strict';

/** What a value on the wire looks like. `at` is where it stands, for the message; the message never repeats the value. */
export interface Shape {
  /** @throws AssertionError when the value does not have this shape. */
  check(value: unknown, at: string): void;
  /** A text that does not have this shape, for a query parameter. */
  readonly misfit: string;
  /** Of an object. */
  readonly fields?: Fields;
  /** What each item of a list looks like. */
  readonly items?: Shape;
  readonly optional?: boolean;
}

export type Fields = Readonly<Record<string, Shape>>;

const shape = (what: string, fits: (value: unknown) => boolean, misfit = '\u0000'): Shape => ({
  check: (value, at) => assert.ok(fits(value), `${at} is not ${what}, but ${describeKind(value)}`),
  misfit,
});

const describeKind = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? `other text of ${value.length} characters` : `of type ${typeof value}`;
};

const pattern = (what: string, form: RegExp, misfit: string): Shape =>
  shape(what, (value) => typeof value === 'string' && form.test(value), misfit);

export const text = shape('text', (value) => typeof value === 'string');
export const id = pattern('an id', /^[^\s/\\?#%]{1,128}$/, 'two words');
export const day = pattern('a day YYYY-MM-DD', /^\d{4}-\d{2}-\d{2}$/, '2026-02-30');
export const slashDay = pattern('a day YYYY/MM/DD', /^\d{4}\/\d{2}\/\d{2}$/, '2026/02/30');
export const localDateTime = pattern(
  'a local date-time YYYY-MM-DDThh:mm:ss',
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/,
  'noon',
);
export const clock = pattern('a time hh:mm', /^([01]\d|2[0-3]):[0-5]\d$/, '25:00');
export const instant = pattern(
  'a UTC timestamp with milliseconds (ISO 8601)',
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  'noon',
);
export const url = pattern('a URL', /^https?:\/\/\S+$/, 'nowhere');
export const digits = pattern('a whole number in digits', /^\d+$/, 'many');
/** The document's truth in words. */
export const flag = pattern('"true" or "false"', /^(true|false)$/, 'perhaps');
export const bool = shape('a boolean', (value) => typeof value === 'boolean');
export const integer = shape('an integer', Number.isSafeInteger);
export const number = shape('a number', Number.isFinite);

export const oneOf = (...values: readonly string[]): Shape =>
  shape(`one of ${values.join(', ')}`, (value) => values.includes(value as string), 'none-of-these');

export const either = (first: Shape, second: Shape): Shape => ({
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

/** `{}`, or what it says: an object that has nothing to tell. */
export const orEmpty = (inner: Shape): Shape => ({
  ...inner,
  check: (value, at) => {
    const nothing = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
    if (!nothing) inner.check(value, at);
  },
});

/** A field that the document does not show and the decision records add. */
export const added = (inner: Shape): Shape => inner;

/** A list, which may be empty. */
export const listOf = (inner: Shape): Shape => ({
  check: (value, at) => {
    assert.ok(Array.isArray(value), `${at} is not a list, but ${describeKind(value)}`);
    value.forEach((item, index) => {
      inner.check(item, `${at}/${index}`);
    });
  },
  misfit: 'a list',
  items: inner,
});

/** A list with at least one item, so that the shape of its items is really looked at. */
export const someOf = (inner: Shape): Shape => ({
  ...listOf(inner),
  check: (value, at) => {
    listOf(inner).check(value, at);
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
