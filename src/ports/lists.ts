/** Selects a part of a long list. `page` counts from 0, and `limit` is at least 1. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

/**
 * One page of a list, with the number of rows in the whole list. Beyond the last page, `items` is empty and `total` is
 * still correct.
 */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Returns one page of the rows with the number of all rows. Returns all rows if there is no page request. */
export const takePage = <T>(rows: readonly T[], page: PageRequest | undefined): Page<T> => ({
  items: page ? rows.slice(page.page * page.limit, (page.page + 1) * page.limit) : rows,
  total: rows.length,
});

/** Compares two records by name. */
export type CompareNames = (a: MayBeNamed, b: MayBeNamed) => number;
type MayBeNamed = { readonly id: string; readonly name?: string | undefined };

/**
 * Compares by name in the order of a language (BCP 47), for words and numbers. Case and accents count only between
 * otherwise equal names, and the id decides last.
 */
export function createNameOrder(locale: string): CompareNames {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  return (a, b) => compare(a.name ?? '', b.name ?? '') || (a.id < b.id ? -1 : 1);
}
