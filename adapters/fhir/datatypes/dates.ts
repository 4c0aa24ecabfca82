import type { Day, Instant } from '../../../src/ports/index.ts';
import { formatBound, type Zone } from '../../../src/toolkit/zone.ts';
import type { Period } from '../schema/datatypes.ts';

/** A FHIR dateTime as an instant of the years 1 to 9999; without a time it is the start of the day, month or year in the zone. */
export function toInstant(dateTime: string, zone: Zone): Instant {
  if (dateTime.includes('T')) return formatBound(Date.parse(dateTime));
  const [year, month = '01', day = '01'] = dateTime.split('-');
  return zone.toStartOfDay(`${year}-${month}-${day}` satisfies Day);
}

/** Whether the instant lies within the period; an end without a time includes the whole day, month or year. */
export function isWithin(period: Period | undefined, now: Instant, zone: Zone): boolean {
  const { start, end } = period ?? {};
  const begun = start === undefined || Date.parse(toInstant(start, zone)) <= Date.parse(now);
  const over =
    end !== undefined &&
    (end.includes('T') ? Date.parse(end) <= Date.parse(now) : end < zone.toLocalDay(now).slice(0, end.length));
  return begun && !over;
}

/** Whether what has this period, as a name, a document or a role, is in force. */
export type IsInForce = (period: Period | undefined) => boolean;

/** In force at the moment of the call. */
export const createIsInForce =
  ({ now }: { readonly now: Instant }, zone: Zone): IsInForce =>
  (period) =>
    isWithin(period, now, zone);

/** The minute in which it lies, in milliseconds since 1970: callers name no seconds. */
export const toMinute = (instant: string): number => Math.floor(Date.parse(instant) / 60_000) * 60_000;

/** Whole minutes, the nearest. */
export const computeMinutesBetween = (start: string, end: string): number =>
  Math.round((Date.parse(end) - Date.parse(start)) / 60_000);
