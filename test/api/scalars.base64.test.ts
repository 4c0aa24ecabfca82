import { expect, test } from '@jest/globals';
import { countBase64Bytes } from '../../src/api/scalars.ts';

test.each(['-', '_', '=', ' ', 'é', '漢'])('what is no base64 is found wherever it stands: %j', (wrong) => {
  const digits = 'A'.repeat(600);
  for (const at of [0, 1, 2, 3, 300, 596, 597, 598]) {
    expect(countBase64Bytes(digits.slice(0, at) + wrong + digits.slice(at + 1))).toBeUndefined();
  }
  expect(countBase64Bytes(digits)).toBe(450);
});

test.each([
  ['', 0],
  ['AA==', 1],
  ['AAA=', 2],
  ['QUJD', 3],
  ['AA=', undefined],
  ['A===', undefined],
  ['AAAAA', undefined],
  ['AB==', undefined],
  ['AAB=', undefined],
  ['AA', undefined],
  ['AA==AAAA', undefined],
  ['====', undefined],
])('%j encodes %j bytes', (text, bytes) => expect(countBase64Bytes(text)).toBe(bytes));
