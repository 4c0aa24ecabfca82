import { describe, expect, test } from '@jest/globals';
import { takePage } from '../../src/ports/index.ts';

describe('a page of a list', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'];

  test.each([
    [{ page: 0, limit: 2 }, ['a', 'b']],
    [{ page: 2, limit: 2 }, ['e']],
    [{ page: 3, limit: 2 }, []],
    [undefined, rows],
  ])('%j has its rows and the number of all', (page, items) => {
    expect(takePage(rows, page)).toEqual({ items, total: 5 });
  });
});
