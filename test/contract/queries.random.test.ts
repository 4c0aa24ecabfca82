import { expect, test } from '@jest/globals';
import { beginPicks, getSeed, pickBelow, setSeed } from '../../src/contract/queries.ts';

const pickTen = (id: string) => {
  beginPicks(id);
  return Array.from({ length: 10 }, () => pickBelow(100));
};

test('a case picks the same by the same seed, whatever was picked before it', () => {
  setSeed(7);
  const picked = pickTen('patients.get');
  pickTen('patients.search');
  expect(pickTen('patients.get')).toEqual(picked);
  expect(pickTen('patients.search')).not.toEqual(picked);
  setSeed(8);
  expect(getSeed()).toBe(8);
  expect(pickTen('patients.get')).not.toEqual(picked);
});

test('what is picked lies below the bound, and every number is', () => {
  beginPicks('patients.get');
  const picked = Array.from({ length: 1_000 }, () => pickBelow(7));
  expect([...new Set(picked)].toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});
