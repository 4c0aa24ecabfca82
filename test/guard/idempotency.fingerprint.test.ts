import { expect, test } from '@jest/globals';
import { computeFingerprint } from '../../src/guard/idempotency.ts';

test('the order of fields makes no difference, and what is undefined is not there', () => {
  const one = computeFingerprint('book', { a: 1, b: { c: [1, { d: 2, e: 3 }], f: undefined } });
  expect(computeFingerprint('book', { b: { c: [1, { e: 3, d: 2 }] }, a: 1 })).toBe(one);
});

test.each([
  [[{ a: 1 }], [{ a: '1' }]],
  [[[1, 2]], [[2, 1]]],
  [['a', 'b'], ['ab']],
  [[{ a: { b: 1 } }], [{ a: { c: 1 } }]],
  [[{}], [{ a: null }]],
])('%j is not %j', (one, other) => {
  expect(computeFingerprint(...one)).not.toBe(computeFingerprint(...other));
});
