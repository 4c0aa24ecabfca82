import { describe, expect, test } from '@jest/globals';
import {
  array,
  checkShape,
  clock,
  day,
  digits,
  enumeration,
  flag,
  id,
  instant,
  integer,
  localDateTime,
  number,
  optional,
  type Shape,
  slashDay,
  text,
  toShape,
  url,
} from '../../src/contract/forms.ts';

function check(shape: Shape, value: unknown): string {
  try {
    checkShape(shape, value, 'body');
    return 'fits';
  } catch (error) {
    return (error as Error).message.split('\n')[0] ?? '';
  }
}

const isFit = (shape: Shape, value: unknown): boolean => check(shape, value) === 'fits';

describe('the shape of a value', () => {
  test.each<[string, Shape, readonly unknown[], readonly unknown[]]>([
    ['an id', id, ['a', 'A-1'], ['', 'two words', 'a/b', 1]],
    [
      'a day',
      day,
      ['2026-02-28', '2026-12-31', '2026-10-01'],
      ['2026-00-10', '2026-13-01', '2026-01-32', '2026/01/01'],
    ],
    ['a day with slashes', slashDay, ['2026/12/31'], ['2026/13/31', '2026/12/00', '2026-12-31', '20261231']],
    ['a time', clock, ['00:00', '23:59'], ['24:00', '12:60', '9:00', '12:00:00']],
    [
      'a local date-time',
      localDateTime,
      ['2026-02-28T23:59:59'],
      ['2026-02-28 23:59:59', '2026-02-28T23:59', '2026-02-28T23:59:60'],
    ],
    ['a moment', instant, ['2026-02-28T23:59:59.000Z'], ['2026-02-28T23:59:59Z', '2026-02-28T23:59:59.000']],
    ['a URL', url, ['https://a.b'], ['a.b', 'ftp://a.b', '']],
    ['digits', digits, ['0', '123'], ['', '-1', '1.5', 1]],
    ['a truth in words', flag, ['true', 'false'], [true, 'yes', '']],
    ['a whole number', integer, [0, -7], [1.5, '1', Number.NaN]],
    ['a number', number, [1.5], ['1', Number.POSITIVE_INFINITY]],
    ['one of some', enumeration('a', 'b'), ['a', 'b'], ['c', '', 1]],
  ])('%s', (_what, shape, fitting, others) => {
    expect(fitting.filter((value) => !isFit(shape, value))).toEqual([]);
    expect([...others, null].filter((value) => isFit(shape, value))).toEqual([]);
  });

  test('is told without the value', () => {
    expect(check(day, 'Ana')).toBe('body: is not a day YYYY-MM-DD');
    expect(check(enumeration('a', 'b'), 'Ana')).not.toContain('Ana');
    expect(check(text, null)).toBe('body: Invalid input: expected string, received null');
    expect(check(text, 7)).toBe('body: Invalid input: expected string, received number');
  });
});

describe('the shape of an answer', () => {
  const shape = toShape({ name: text, list: array({ inner: text }), maybe: optional(text) });
  const fits = { name: 'a', list: [{ inner: 'b' }] };

  test.each([
    [fits, 'fits'],
    [{ ...fits, maybe: 'c' }, 'fits'],
    [{ ...fits, maybe: 1 }, 'body/maybe: Invalid input: expected string, received number'],
    [{ name: 'a' }, 'body/list: Invalid input: expected array, received undefined'],
    [{ ...fits, list: 'b' }, 'body/list: Invalid input: expected array, received string'],
    [
      { ...fits, list: [{ inner: 'b' }, { inner: 2 }] },
      'body/list/1/inner: Invalid input: expected string, received number',
    ],
    [{ ...fits, more: 1 }, 'body: Unrecognized key: "more"'],
    [null, 'body: Invalid input: expected object, received null'],
    [[], 'body: Invalid input: expected object, received array'],
  ])('of %j: %s', (value, outcome) => expect(check(shape, value)).toBe(outcome));

  test('of a list that must have items tells an empty one', () => {
    expect(check(toShape([text]), ['a'])).toBe('fits');
    expect(check(toShape([text]), [1])).toBe('body/0: Invalid input: expected string, received number');
    expect(check(toShape([text]), [])).toMatch(/^body: is empty/);
  });
});
