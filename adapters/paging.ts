import type { Instant, Page, PageRequest } from '../src/ports/index.ts';

/** One page of the rows with the number of all; all of them without a page. */
export const takePage = <T>(rows: readonly T[], page: PageRequest | undefined): Page<T> => ({
  items: page ? rows.slice(page.page * page.limit, (page.page + 1) * page.limit) : rows,
  total: rows.length,
});

/** Compares instants: the latest comes first. */
export const compareNewestFirst = (a: { readonly createdAt: Instant }, b: { readonly createdAt: Instant }): number =>
  a.createdAt === b.createdAt ? 0 : a.createdAt < b.createdAt ? 1 : -1;
