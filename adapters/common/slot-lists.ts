import { type Page, type Slot, type SlotQuery, takePage, weekdays } from '../../src/ports/index.ts';
import { getWeekday, parseMinutes } from '../../src/toolkit/zone.ts';

/** The days of the week and the hours of a slot query. */
export type SlotHours = Pick<SlotQuery, 'daysOfWeek' | 'hourFrom' | 'hourTo'>;

/** True if the query names days of the week or hours. */
export const limitsHours = ({ daysOfWeek, hourFrom, hourTo }: SlotHours): boolean =>
  daysOfWeek !== undefined || hourFrom !== undefined || hourTo !== undefined;

/** True if the query includes slots of that day. */
export const isOnDayOfWeek = (day: string, { daysOfWeek }: SlotHours): boolean =>
  daysOfWeek === undefined || daysOfWeek.includes(weekdays[getWeekday(day)]!);

/**
 * True if the slot lies between the hours of the query.
 * @param begins local time in minutes since midnight.
 */
export const isBetweenHours = (begins: number, minutes: number, { hourFrom, hourTo }: SlotHours): boolean =>
  (hourFrom === undefined || begins >= parseMinutes(hourFrom)) &&
  (hourTo === undefined || begins + minutes <= parseMinutes(hourTo));

/** True if the slot matches the query's practitioner, place, kind of visit, days and hours. */
export const fitsQuery = (slot: Slot, query: SlotQuery): boolean =>
  (query.practitionerId ?? slot.practitionerId) === slot.practitionerId &&
  (query.locationId ?? slot.locationId) === slot.locationId &&
  (query.modality ?? slot.modality) === slot.modality &&
  slot.start >= (query.from ?? '') &&
  slot.start.slice(0, 10) <= (query.to ?? '9999-12-31') &&
  isOnDayOfWeek(slot.start.slice(0, 10), query) &&
  isBetweenHours(parseMinutes(slot.start.slice(11)), slot.minutes, query);

/** Filters a list of all free slots of the service, and returns the page of the query. */
export const takeSlots = (free: readonly Slot[], query: SlotQuery): Page<Slot> =>
  takePage(
    free.filter((slot) => fitsQuery(slot, query)),
    query.page,
  );
