import { describe, expect, test } from '@jest/globals';
import { compareNewestFirst } from '../../../adapters/common/tickets.ts';

describe('a list with the newest first', () => {
  test('is by the moment of creation, and leaves those of one moment as they stand', () => {
    const rows = [
      { id: 'a', createdAt: '2026-01-01T10:00:00.000Z' },
      { id: 'b', createdAt: '2026-01-01T10:00:00.001Z' },
      { id: 'c', createdAt: '2026-01-01T10:00:00.000Z' },
      { id: 'd', createdAt: '2025-12-31T10:00:00.000Z' },
      { id: 'e', createdAt: '2026-01-01T10:00:00Z' },
      { id: 'f', createdAt: '2026-01-01T10:00:01+03:00' },
    ];
    expect(rows.toSorted(compareNewestFirst).map(({ id }) => id)).toEqual(['b', 'a', 'c', 'e', 'f', 'd']);
  });
});
