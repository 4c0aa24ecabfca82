import { expect, test } from '@jest/globals';
import { parseIdempotencyKey } from '../../src/guard/idempotency.ts';

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
