import { describe, expect, test } from '@jest/globals';
import { measureJson } from '../../src/toolkit/measure-json.ts';

const endless = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };
const measure = (text: string, most = endless) => measureJson(Buffer.from(text), most);

/** The same, of what was parsed. */
function count(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const inner = Object.values(value).map(count);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: Math.max(1, inner.length) + inner.reduce((sum, { values }) => sum + values, 0),
  };
}

describe('the size of a JSON text', () => {
  test.each([
    '1',
    '"a,[{"',
    '[]',
    '{}',
    '[[],{},[[]]]',
    '{"a":{"b":[1,2,{"c":null}]},"d":[true]}',
    String.raw`{"a\"":"\\","b":"\\\",[","c":["\"]",1]}`,
    JSON.stringify({ short: 'x'.repeat(31), edge: 'x'.repeat(32), long: [`${'x'.repeat(33)}",\\`, 'á'.repeat(99)] }),
    JSON.stringify(
      Array.from({ length: 70 }, (_, i) => ['x'.repeat(i) + '\\'.repeat(i % 5), '"'.repeat(i), `\\"${i}`]),
    ),
    ' [ 1 ,\n\t2 ] ',
  ])('is that of what it is parsed to: %j', (text) => {
    expect(measure(text)).toEqual(count(JSON.parse(text)));
  });

  test('counts each of several members with one name, of which a parser keeps one', () => {
    expect(measure('{"a":1,"a":2,"a":3}').values).toBe(3);
  });

  test.each(['"', '"\\', '["a', `"${'x'.repeat(40)}\\`, '\\"', ']]]['])('of what is no JSON ends: %j', (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(measure(text).values).toBeLessThan(2);
  });

  test('is counted no further than it matters', () => {
    expect(measure('['.repeat(1_000), { depth: 20, values: 9_999 })).toEqual({ depth: 21, values: 21 });
    expect(measure(`[${'1,'.repeat(1_000)}`, { depth: 20, values: 100 })).toEqual({ depth: 1, values: 101 });
  });
});
