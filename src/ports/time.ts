/** A calendar day without a zone, `YYYY-MM-DD`, that exists (never 30 February). */
export type Day = string;

/** A wall-clock time in the institution's zone, `hh:mm`, 24 hours. */
export type LocalTime = string;

/** A date and time in the institution's zone, without an offset: `YYYY-MM-DDThh:mm:ss`. */
export type LocalDateTime = string;

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
