import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isLongJson, writeJson } from '../../src/ports/json-pieces.ts';

describe('JSON in pieces', () => {
  test.each([
    ['a string', 'x'.repeat(200_000)],
    ['a string of characters that are escaped', '"\\\n\u0001'.repeat(50_000)],
    ['a string of characters of two code units', `x${'😀'.repeat(100_000)}`],
    ['half a character', `${'x'.repeat(65_535)}\ud83d${'y'.repeat(65_536)}\ud83d`],
    ['many rows', Array.from({ length: 20_000 }, (_, i) => ({ id: `row ${i}`, values: [i, null, true] }))],
    ['a file among fields', [{ id: 'a', none: undefined, file: 'y'.repeat(150_000), rest: [1, undefined, {}] }, 'b']],
    ['nested lists', [[['z'.repeat(70_000)], 'a'.repeat(70_000)], [], { c: { d: 'e'.repeat(70_000) } }]],
  ])('is what JSON.stringify writes, of %s', (_name, value) => {
    const pieces = [...writeJson(value)];
    expect(pieces.join('')).toBe(JSON.stringify(value));
    expect(pieces.length).toBeGreaterThan(1);
  });

  test('is what JSON.stringify writes, whatever the data', () => {
    const long = fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }).map((text) => text.repeat(40_000));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue(),
        long,
        fc.array(tie('tree')),
        fc.dictionary(fc.string(), tie('tree')),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => [...writeJson(value)].join('') === JSON.stringify(value)),
      { numRuns: 50, seed: 1 },
    );
  });

  test('has no piece that takes much longer to write than others', () => {
    const value = [{ file: 'x'.repeat(1_000_000), rows: Array.from({ length: 20_000 }, (_, i) => ({ id: i })) }];
    for (const piece of writeJson(value)) expect(piece.length).toBeLessThan(3 * 65_536);
  });

  test('is long when its text is', () => {
    expect(isLongJson('x'.repeat(11), 10)).toBe(true);
    expect(isLongJson({ a: ['x'.repeat(3)] }, 10)).toBe(false);
    expect(
      isLongJson(
        Array.from({ length: 10 }, () => null),
        10,
      ),
    ).toBe(true);
  });
});
