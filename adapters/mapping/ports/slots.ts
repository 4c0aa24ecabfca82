import type { Call, Day, Slot } from '../../../src/ports/index.ts';
import { addDays, addMinutes, getWeekday, listDaysBetween, parseMinutes } from '../../../src/toolkit/zone.ts';
import { isOpenSchedule } from '../../common/bookable.ts';
import type { OfferedSlot } from '../../common/booking.ts';
import {
  BusyIntervals,
  formatSlotId,
  type Interval,
  overlaps,
  visitSlots,
  type WeeklySchedule,
  worksOn,
} from '../../common/schedules.ts';
import { longAgo, type RecordOf, type ThingName } from '../file/things.ts';
import type { Hospital } from './hospital.ts';

/** A slot, free or taken, with the names of the system and of callers. */
export interface SystemSlot extends OfferedSlot {
  /** The slot's name in a booking. */
  readonly number: string;
  readonly slot: Slot;
  /** The number of appointments in a slot that Puente divides from a schedule. */
  readonly countTaken?: () => number;
}

/** All criteria must match. Both days are inclusive. */
export interface SlotFilter {
  readonly from: Day;
  readonly to: Day;
  readonly serviceId?: string | undefined;
  readonly practitionerId?: string | undefined;
  readonly locationId?: string | undefined;
}

/** The slots of these days, free and taken, by start: rows of the system, or parts of its weekly schedules. */
export async function listSlots(hospital: Hospital, query: SlotFilter, call: Call): Promise<SystemSlot[]> {
  const found = hospital.has('schedules.all')
    ? await cutSlots(hospital, query, call)
    : await readSlots(hospital, query, call);
  return found
    .filter(({ slot }) => query.from <= slot.start && slot.start.slice(0, 10) <= query.to && isOf(query, slot))
    .toSorted((a, b) => a.begins - b.begins);
}

type Identified = readonly { readonly id: string }[];

/** Keeps the slots whose practitioner and location are on the institution's lists. Retired and closed ones are not. */
export function keepOpen(slots: readonly SystemSlot[], practitioners: Identified, locations: Identified): SystemSlot[] {
  const people = new Set(practitioners.map(({ id }) => id));
  const places = new Set(locations.map(({ id }) => id));
  return slots.filter(({ slot }) =>
    isOpenSchedule({ practitionerActive: people.has(slot.practitionerId), placeOpen: places.has(slot.locationId) }),
  );
}

const isOf = (query: SlotFilter, of: Pick<Slot, 'serviceId' | 'practitionerId' | 'locationId'>): boolean =>
  (query.serviceId ?? of.serviceId) === of.serviceId &&
  (query.practitionerId ?? of.practitionerId) === of.practitionerId &&
  (query.locationId ?? of.locationId) === of.locationId;

/** The same window under all names that a file may use. */
const toWindow = ({ from, to, ...filter }: SlotFilter) => ({
  ...filter,
  from: `${from}T00:00:00`,
  to: `${to}T23:59:59`,
  fromDay: `${from}T00:00:00`,
  toDay: `${to}T00:00:00`,
});

async function readSlots(hospital: Hospital, query: SlotFilter, call: Call): Promise<SystemSlot[]> {
  const records = await hospital.find('slots', 'between', toWindow(query), call);
  return records.flatMap((record) => {
    const interval = toInterval(hospital, 'slots', record, call);
    const { number = record.id, scheduleId = record.id, free, ...slot } = record;
    return interval ? [{ id: slot.id, number, scheduleId, ...interval, isFree: free, slot }] : [];
  });
}

/** Undefined for a time that a clock change skips, which is reported. */
function toInterval(
  { zone }: Hospital,
  thing: ThingName,
  { start, minutes }: Pick<Slot, 'start' | 'minutes'>,
  call: Call,
): Interval | undefined {
  const begins = zone.toEpoch(start);
  if (begins === undefined) call.omit({ resourceType: thing, element: 'start' });
  return begins === undefined ? undefined : { begins, ends: begins + minutes * 60_000 };
}

type Schedule = RecordOf<'schedules'> & WeeklySchedule;

async function cutSlots(hospital: Hospital, query: SlotFilter, call: Call): Promise<SystemSlot[]> {
  const { from, to, practitionerId } = query;
  // A taken time may continue after midnight. An absence may have a moment, which is later than the day itself.
  const [all, absences, taken] = await Promise.all([
    hospital.find('schedules', 'all', {}, call),
    hospital.find('exceptions', 'between', { fromDay: from, toDay: addDays(to, 1) }, call),
    hospital.find('taken', 'between', toWindow({ from: addDays(from, -1), to, practitionerId }), call),
  ]);
  const exceptions = absences.map((each) => orderBounds(each, call));
  for (const each of all) if (each.from >= each.to) call.omit({ resourceType: 'schedules', element: 'to' });
  const weekly = all.map((each): Schedule => ({ ...each, days: [each.weekday] }));
  const schedules = weekly.filter((each) => isOf(query, each));
  const busy = listBusy(hospital, { taken, schedules: weekly }, query, call);
  return listDaysBetween(query.from, query.to).flatMap((day) => {
    const slots: SystemSlot[] = [];
    const valid = schedules.filter(({ validFrom = day, validTo = day }) => validFrom <= day && day <= validTo);
    visitSlots(hospital.zone, valid, day, (schedule, { time }, interval) => {
      const start = day + time;
      const { minutes, serviceId, practitionerId, locationId, modality } = schedule;
      const id = formatSlotId(schedule, start);
      const slot = { id, start, minutes, serviceId, practitionerId, locationId, modality };
      if (exceptions.some((each) => isClosed(each, schedule, slot))) return;
      const isFree = busy.isFree(practitionerId, interval);
      const countTaken = () => busy.count(practitionerId, interval);
      slots.push({ id, number: id, scheduleId: schedule.id, ...interval, isFree, slot, countTaken });
    });
    return slots;
  });
}

/** An absent list includes all ids. */
const isMeant = (ids: readonly string[] | undefined, id: string): boolean => ids?.includes(id) ?? true;

/** The taken times of practitioners, at any location and for any service. */
function listBusy(
  hospital: Hospital,
  { taken, schedules }: { readonly taken: readonly RecordOf<'taken'>[]; readonly schedules: readonly Schedule[] },
  window: SlotFilter,
  call: Call,
): BusyIntervals {
  const busy = new BusyIntervals();
  const everybody = [...new Set(schedules.map(({ practitionerId }) => practitionerId))];
  for (const { scheduleId, practitionerId, start, minutes, free } of taken) {
    if (free) continue;
    const own = schedules.filter(
      (each) => (scheduleId ?? each.id) === each.id && isMeant(practitionerId, each.practitionerId),
    );
    const schedule = own.find((each) => worksAt(each, start)) ?? own[0];
    // A time outside all schedules takes nothing. A taken time without a known practitioner takes everybody's time.
    const known = practitionerId ?? (schedule ? [schedule.practitionerId] : []);
    const people = practitionerId === undefined && scheduleId === undefined ? everybody : known;
    const day = start.slice(0, 10);
    const interval =
      day === longAgo
        ? toDays(window)
        : (toInterval(hospital, 'taken', { start, minutes: minutes ?? schedule?.minutes ?? 1 }, call) ??
          toDays({ from: day, to: day }));
    // A wrong length may last for a million years, and each day takes space.
    const { begins, ends } = toDays(window);
    const within = { begins: Math.max(interval.begins, begins), ends: Math.min(interval.ends, ends) };
    for (const each of people) busy.add(each, within);
  }
  return busy;
}

const DAY = 86_400_000;
/** All days of the window, in any zone. */
const toDays = ({ from, to }: SlotFilter): Interval => ({
  begins: Date.parse(from) - DAY,
  ends: Date.parse(to) + 2 * DAY,
});

/** Orders the bounds of an absence. If its end is not after its start, it is reported and covers all that it may. */
function orderBounds(absence: RecordOf<'exceptions'>, call: Call): RecordOf<'exceptions'> {
  const { firstDay, lastDay = firstDay, from = '00:00', to: given = '24:00', start = '', end } = absence;
  const to = given === '00:00' ? '24:00' : given;
  const wrong =
    from >= to ? 'to' : (lastDay ?? '') < (firstDay ?? '') ? 'lastDay' : end && end <= start ? 'end' : undefined;
  if (wrong === undefined) return { ...absence, to };
  call.omit({ resourceType: 'exceptions', element: wrong });
  const [first, last] = [firstDay, lastDay].toSorted();
  return { ...absence, firstDay: first, lastDay: last, from: undefined, to: undefined, end: undefined };
}

const worksAt = (schedule: Schedule, start: string): boolean =>
  worksOn(schedule, getWeekday(start.slice(0, 10))) &&
  schedule.from <= start.slice(11, 16) &&
  start.slice(11, 16) < schedule.to;

/** True if the exception belongs to this schedule and overlaps with the slot. */
function isClosed(exception: RecordOf<'exceptions'>, schedule: Schedule, { start, minutes }: Slot): boolean {
  const { firstDay = '', lastDay = firstDay, from = '00:00', to = '24:00' } = exception;
  const day = start.slice(0, 10);
  const begins = parseMinutes(start.slice(11));
  const until = exception.end ?? `${exception.start?.slice(0, 10)}T24:00:00`;
  const isThen =
    exception.start === undefined
      ? firstDay <= day &&
        day <= lastDay &&
        overlaps({ begins, ends: begins + minutes }, { begins: parseMinutes(from), ends: parseMinutes(to) })
      : exception.start < addMinutes(start, minutes) && start < until;
  return (
    isThen &&
    (exception.scheduleId ?? schedule.id) === schedule.id &&
    isMeant(exception.practitionerId, schedule.practitionerId) &&
    (exception.locationId ?? schedule.locationId) === schedule.locationId
  );
}
