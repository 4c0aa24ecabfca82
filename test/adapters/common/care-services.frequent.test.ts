import { describe, expect, test } from '@jest/globals';
import { computeFrequentSince, rankByUse } from '../../../adapters/common/care-services.ts';
import { Zone } from '../../../src/toolkit/zone.ts';

describe('the services that a patient uses', () => {
  const services = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
  const rank = (...uses: readonly (readonly [string | undefined, number])[]) =>
    rankByUse(
      services,
      uses.map(([serviceId, begins]) => ({ serviceId, begins })),
    ).map(({ id }) => id);

  test('are the most frequent first, then the latest, then as they stand', () => {
    expect(rank(['d', 1], ['d', 2], ['c', 9], ['b', 5], ['a', 5])).toEqual(['d', 'c', 'a', 'b']);
  });

  test('are only those that are still there', () => {
    expect(rank(['gone', 1], [undefined, 1], ['b', 1])).toEqual(['b']);
    expect(rank()).toEqual([]);
  });

  test.each([
    ['2026-06-15T02:59:59.000Z', '2024-06-14T03:00:00.000Z'],
    ['2026-06-15T03:00:00.000Z', '2024-06-15T03:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2026-02-28T03:00:00.000Z'],
  ])('count at %s from the beginning of the day 24 months ago in the zone: %s', (now, since) => {
    expect(computeFrequentSince(new Zone('America/Argentina/Buenos_Aires'), { now })).toBe(since);
  });
});
