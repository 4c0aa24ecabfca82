import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { computeDigest } from '../../adapters/digest.ts';

test.each([
  ['short data', ['x', { a: 1, b: undefined }, null]],
  ['a file', ['x', { file: 'QUJD'.repeat(100_000) }]],
])('the digest of %s is that of its JSON', async (_name, content) => {
  const expected = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  expect(await computeDigest(content)).toBe(expected);
});

test('others have their turn while files are hashed', async () => {
  let turns = 0;
  let hashing = true;
  const count = () => {
    turns += 1;
    if (hashing) setImmediate(count);
  };
  setImmediate(count);
  await computeDigest({ file: 'QUJD'.repeat(400_000) });
  hashing = false;
  expect(turns).toBeGreaterThan(20);
});
