import { type Page, type Slot, type SlotQuery, takePage, weekdays } from '../../src/ports/index.ts';
import { getWeekday, parseMinutes } from '../../src/toolkit/zone.ts';

/** On which days of the week, and between which hours, slots are asked for. */
export type SlotHours = Pick<SlotQuery, 'daysOfWeek' | 'hourFrom' | 'hourTo'>;

/** True if the query names days of the week or hours. */
export const limitsHours = ({ daysOfWeek, hourFrom, hourTo }: SlotHours): boolean =>
  daysOfWeek !== undefined || hourFrom !== undefined || hourTo !== undefined;

/** True if slots on that day may be among those that are asked for. */
export const isOnDayOfWeek = (day: string, { daysOfWeek }: SlotHours): boolean =>
  daysOfWeek === undefined || daysOfWeek.includes(weekdays[getWeekday(day)]!);

/**
 * True if a slot lies between the hours that are asked for.
 * @param begins local time in minutes since midnight.
 */
export const isBetweenHours = (begins: number, minutes: number, { hourFrom, hourTo }: SlotHours): boolean =>
  (hourFrom === undefined || begins >= parseMinutes(hourFrom)) &&
  (hourTo === undefined || begins + minutes <= parseMinutes(hourTo));

/** True if the slot is of the practitioner, place, kind of visit, days and hours that the query names. */
export const fitsQuery = (slot: Slot, query: SlotQuery): boolean =>
  (query.practitionerId ?? slot.practitionerId) === slot.practitionerId &&
  (query.locationId ?? slot.locationId) === slot.locationId &&
  (query.modality ?? slot.modality) === slot.modality &&
  slot.start >= (query.from ?? '') &&
  slot.start.slice(0, 10) <= (query.to ?? '9999-12-31') &&
  isOnDayOfWeek(slot.start.slice(0, 10), query) &&
  isBetweenHours(parseMinutes(slot.start.slice(11)), slot.minutes, query);

/** Filters a list of all free slots of the service, and takes the page that is asked for. */
export const takeSlots = (free: readonly Slot[], query: SlotQuery): Page<Slot> =>
  takePage(
    free.filter((slot) => fitsQuery(slot, query)),
    query.page,
  );
