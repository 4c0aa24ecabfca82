import { expect, test } from '@jest/globals';
import { computeFingerprint, parseIdempotencyKey } from '../../src/guard/idempotency.ts';

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

test.each([
  ['k', 'k'],
  ['"k"', 'k'],
  ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
  ['"a\\"b"', 'a"b'],
  ['"a\\\\b"', 'a\\b'],
  ['a\\b', 'a\\b'],
  ["it's", "it's"],
])('the header %p carries the key %p', (header, key) => {
  expect(parseIdempotencyKey(header)).toBe(key);
});

test.each(['', '""', '"', '"a', 'a"', 'a"b', '"a\\b"', 'a b', '"a b"', 'a, b', '"a";v=1', 'ñ', 'x'.repeat(256)])(
  'the header %p carries no key',
  (header) => {
    expect(parseIdempotencyKey(header)).toBeUndefined();
  },
);
