import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { computeFingerprint } from '../../../src/guard/idempotency/fingerprint.ts';

test('the order of fields makes no difference, and what is undefined is not there', async () => {
  const one = await computeFingerprint('book', { a: 1, b: { c: [1, { d: 2, e: 3 }], f: undefined } });
  expect(await computeFingerprint('book', { b: { c: [1, { e: 3, d: 2 }] }, a: 1 })).toBe(one);
});

test.each([
  [[{ a: 1 }], [{ a: '1' }]],
  [[[1, 2]], [[2, 1]]],
  [['a', 'b'], ['ab']],
  [[{ a: { b: 1 } }], [{ a: { c: 1 } }]],
  [[{}], [{ a: null }]],
])('%j is not %j', async (one, other) => {
  expect(await computeFingerprint(...one)).not.toBe(await computeFingerprint(...other));
});

test.each(['QUJD', '"\\\n', 'é', '😀', '\ud83d'])(
  'long strings of %j give way to others, and change no digest',
  async (unit) => {
    for (const shift of ['', 'x']) {
      const content = ['x', { a: shift + unit.repeat(50_000), b: 'short', c: [unit.repeat(70_000)] }];
      let turns = 0;
      let hashing = true;
      const count = () => {
        turns += 1;
        if (hashing) setImmediate(count);
      };
      setImmediate(count);
      const expected = createHash('sha256')
        .update(JSON.stringify([content]))
        .digest('hex');
      expect(await computeFingerprint(content)).toBe(expected);
      hashing = false;
      expect(turns).toBeGreaterThanOrEqual(2);
    }
  },
);
