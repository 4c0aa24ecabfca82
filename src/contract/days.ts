import type { Subject } from './subject.ts';

/** The day so many days after today, in the institution's zone. */
export const computeDayAhead = (subject: Subject, days: number): string =>
  toDay(subject, new Date(subject.now().getTime() + days * 86_400_000).toISOString());

/** The day on the institution's wall calendar at that moment. */
export const toDay = ({ fixtures: { timeZone } }: Subject, moment: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(moment));

/** The moment at which the institution's clock on the wall shows that time. */
export function toInstant({ fixtures: { timeZone } }: Subject, local: string): string {
  const asUtc = Date.parse(`${local}Z`);
  const wall = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const ahead = Date.parse(`${wall.format(asUtc).replace(' ', 'T')}Z`) - asUtc;
  return new Date(asUtc - ahead).toISOString();
}

/** The same day as Group A takes it, `YYYY/MM/DD`. */
export const toSlashDay = (day: string): string => day.replaceAll('-', '/');
