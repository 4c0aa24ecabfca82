import type { Page, PageRequest } from './time.ts';

/** One page of the rows with the number of all; all of them without a page. */
export const takePage = <T>(rows: readonly T[], page: PageRequest | undefined): Page<T> => ({
  items: page ? rows.slice(page.page * page.limit, (page.page + 1) * page.limit) : rows,
  total: rows.length,
});
