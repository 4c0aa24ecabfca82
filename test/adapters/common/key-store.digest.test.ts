import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { computeDigest } from '../../../adapters/common/key-store.ts';

test.each([
  ['short data', ['x', { a: 1, b: undefined }, null]],
  ['a file', ['x', { file: 'QUJD'.repeat(100_000) }]],
])('the digest of %s is that of its JSON', (_name, content) => {
  const expected = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  expect(computeDigest(content)).toBe(expected);
});
