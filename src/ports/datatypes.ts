/** A calendar day without a zone, `YYYY-MM-DD`, that exists (never 30 February). */
export type Day = string;

/** A wall-clock time in the institution's zone, `hh:mm`, 24 hours. */
export type LocalTime = string;

/** A date and time in the institution's zone, without an offset: `YYYY-MM-DDThh:mm:ss`. */
export type LocalDateTime = string;

/** The days of a week, which begins on Monday. */
export const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
export type Weekday = (typeof weekdays)[number];

/** A moment in UTC with milliseconds: `YYYY-MM-DDThh:mm:ss.sssZ` (RFC 3339). */
export type Instant = string;

/** What to return of a long list: `page` counts from 0, `limit` is at least 1. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

/** One page of a list, with the number of rows in the whole list. Beyond the last page `items` is empty and `total` is true. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

const names: Readonly<Record<string, string>> = { AR: 'Argentina', ARG: 'Argentina' };

/** The name of a country of which only the code (ISO 3166) may be known; any other text stays as it is. */
export const toCountryName = (country: string): string => names[country] ?? country;

interface Named {
  readonly id: string;
  readonly name?: string | undefined;
}

/** Compares by name as a language (BCP 47) orders words and numbers: case and accents only where all else is the same, then by id. */
export function createNameOrder(locale: string): (a: Named, b: Named) => number {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  return (a, b) => compare(a.name ?? '', b.name ?? '') || (a.id < b.id ? -1 : 1);
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the keys that are undefined: to the ports, and in FHIR, absent and undefined are not the same. */
export function omitUndefined<T extends object>(values: T): Defined<T>;
export function omitUndefined(values: Readonly<Record<string, unknown>>): object {
  const defined: Record<string, unknown> = {};
  for (const name of Object.keys(values)) {
    if (values[name] !== undefined) defined[name] = values[name];
  }
  return defined;
}

/** One page of the rows with the number of all; all of them without a page. */
export const takePage = <T>(rows: readonly T[], page: PageRequest | undefined): Page<T> => ({
  items: page ? rows.slice(page.page * page.limit, (page.page + 1) * page.limit) : rows,
  total: rows.length,
});
