import { expect, test } from '@jest/globals';
import { countBase64Bytes } from '../../src/api/base64.ts';

test.each([0, 1, 2, 3])('what is no base64 is found %i digits beside the seam of two pieces', async (beside) => {
  const digits = 'A'.repeat(600_000);
  for (const wrong of ['-', '_', '=', ' ', 'é', '漢']) {
    for (const at of [262_144 - beside, 262_144 + beside]) {
      expect(await countBase64Bytes(digits.slice(0, at) + wrong + digits.slice(at + 1))).toBeUndefined();
    }
  }
  expect(await countBase64Bytes(digits)).toBe(450_000);
});
