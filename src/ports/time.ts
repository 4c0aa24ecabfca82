/** An existing calendar day without a zone, `YYYY-MM-DD`. Excludes days such as 30 February. */
export type Day = string;

/** A wall-clock time in the institution's zone, `hh:mm`, 24 hours. */
export type LocalTime = string;

/** A date and time in the institution's zone, without an offset: `YYYY-MM-DDThh:mm:ss`. */
export type LocalDateTime = string;

/** The days of a week. Weeks begin on Monday. */
export const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
export type Weekday = (typeof weekdays)[number];

/** A moment in UTC with milliseconds: `YYYY-MM-DDThh:mm:ss.sssZ` (RFC 3339). */
export type Instant = string;
