import type { Subject } from './subject.ts';

/** The day `days` after today in the institution's zone, `YYYY-MM-DD`. */
export const computeDayAhead = (subject: Subject, days: number): string =>
  toDay(subject, new Date(subject.now().getTime() + days * 86_400_000).toISOString());

/** The day in the institution's zone at that instant, `YYYY-MM-DD`. */
export const toDay = ({ fixtures: { timeZone } }: Subject, moment: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(moment));

/** The instant (UTC) of that local date-time of the institution's zone. */
export function toInstant({ fixtures: { timeZone } }: Subject, local: string): string {
  const asUtc = Date.parse(`${local}Z`);
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const offset = Date.parse(`${format.format(asUtc).replace(' ', 'T')}Z`) - asUtc;
  return new Date(asUtc - offset).toISOString();
}

/** The same day as Group A reads it, `YYYY/MM/DD`. */
export const toSlashDay = (day: string): string => day.replaceAll('-', '/');

/** The moment so many minutes later, or earlier when negative. */
export const addMinutes = (moment: string, minutes: number): string =>
  new Date(Date.parse(moment) + minutes * 60_000).toISOString();

/** The last minute before this day of the institution begins, and its first. */
export function findMidnight(subject: Subject, day: string): readonly [string, string] {
  const midnight = toInstant(subject, `${day}T00:00:00`);
  return [addMinutes(midnight, -1), addMinutes(midnight, 1)];
}
