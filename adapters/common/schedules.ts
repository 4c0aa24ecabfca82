import { type Day, type LocalDateTime, type LocalTime, type Weekday, weekdays } from '../../src/ports/index.ts';
import { getWeekday, parseMinutes, type Zone } from '../../src/toolkit/zone.ts';

/** Weekly working hours, divided into slots of one length. */
export interface WeeklySchedule {
  readonly id: string;
  readonly days: readonly Weekday[];
  readonly from: LocalTime;
  readonly to: LocalTime;
  readonly minutes: number;
}

/** The start of a slot on every day of its schedule. */
export interface SlotTime {
  /** Since midnight. */
  readonly minutes: number;
  /** The time part of the slot's start, `T09:00:00`, and of its id. */
  readonly time: string;
  readonly stamp: string;
}

const timesOf = new WeakMap<WeeklySchedule, readonly SlotTime[]>();

export function listSlotTimes(schedule: WeeklySchedule): readonly SlotTime[] {
  const known = timesOf.get(schedule);
  if (known) return known;
  const from = parseMinutes(schedule.from);
  const count = Math.floor((parseMinutes(schedule.to) - from) / schedule.minutes);
  const times = Array.from({ length: count }, (_, index) => {
    const minutes = from + index * schedule.minutes;
    const time = `T${formatTime(minutes)}`;
    return { minutes, time: `${time}:00`, stamp: formatStamp(time) };
  });
  timesOf.set(schedule, times);
  return times;
}

/** The starts of the schedule's slots on that day, free or taken. */
export const listSlotStarts = (schedule: WeeklySchedule, day: Day): LocalDateTime[] =>
  worksOn(schedule, getWeekday(day)) ? listSlotTimes(schedule).map(({ time }) => day + time) : [];

/** `hh:mm`, from minutes after midnight. */
export const formatTime = (minutes: number): LocalTime =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/**
 * Calls back with each slot of the schedules on that day, free or taken. The interval is in milliseconds since 1970
 * (UTC). A slot that a clock change skips is left out.
 */
export function visitSlots<S extends WeeklySchedule>(
  zone: Zone,
  schedules: readonly S[],
  day: Day,
  visit: (schedule: S, time: SlotTime, interval: Interval) => void,
): void {
  const weekday = getWeekday(day);
  const toEpoch = zone.createDayClock(day);
  for (const schedule of schedules) {
    if (!worksOn(schedule, weekday)) continue;
    for (const time of listSlotTimes(schedule)) {
      const begins = toEpoch(time.minutes);
      if (begins === undefined) continue;
      visit(schedule, time, { begins, ends: begins + schedule.minutes * 60_000 });
    }
  }
}

/** True if the schedule has slots on that weekday, 0 for Monday to 6 for Sunday. */
export const worksOn = ({ days }: WeeklySchedule, weekday: number): boolean => days.includes(weekdays[weekday]!);

/** True if a slot starts that many minutes after midnight on the days of the schedule. */
export function isOnGrid(schedule: WeeklySchedule, minutes: number): boolean {
  const since = minutes - parseMinutes(schedule.from);
  return since >= 0 && since % schedule.minutes === 0 && minutes + schedule.minutes <= parseMinutes(schedule.to);
}

/** The id of a slot, `{schedule}.{YYYYMMDD}T{hhmm}`. */
export const formatSlotId = ({ id }: WeeklySchedule, start: LocalDateTime): string =>
  `${id}.${formatStamp(start.slice(0, 16))}`;

/** A day, a time or both in the format of a slot id. */
export const formatStamp = (text: string): string => text.replaceAll(/[-:]/g, '');

/** A time interval in milliseconds since 1970. `ends` is excluded. */
export interface Interval {
  readonly begins: number;
  readonly ends: number;
}

/** True if the intervals share a moment. */
export const overlaps = (a: Interval, b: Interval): boolean => a.begins < b.ends && b.begins < a.ends;

const DAY = 86_400_000;

/** The busy times of people. The time of a lookup does not depend on the number of a person's intervals. */
export class BusyIntervals {
  /** By person and UTC day. An interval over midnight is listed under both days. */
  readonly #busy = new Map<string, Map<number, Interval[]>>();

  add(person: string, interval: Interval): void {
    const days = this.#busy.get(person) ?? new Map<number, Interval[]>();
    this.#busy.set(person, days);
    for (let day = toDay(interval.begins); day * DAY < interval.ends; day++) {
      const list = days.get(day);
      if (list) list.push(interval);
      else days.set(day, [interval]);
    }
  }

  /** Returns an independent copy. */
  copy(): BusyIntervals {
    const copy = new BusyIntervals();
    for (const [person, days] of this.#busy)
      copy.#busy.set(person, new Map(Array.from(days, ([day, list]) => [day, [...list]])));
    return copy;
  }

  /** Removes the very object that was added; an equal one stays. */
  remove(person: string, interval: Interval): void {
    const days = this.#busy.get(person);
    for (let day = toDay(interval.begins); day * DAY < interval.ends; day++) {
      const rest = days?.get(day)?.filter((other) => other !== interval) ?? [];
      if (rest.length > 0) days?.set(day, rest);
      else days?.delete(day);
    }
    if (days?.size === 0) this.#busy.delete(person);
  }

  isFree(person: string, interval: Interval): boolean {
    const days = this.#busy.get(person);
    if (!days) return true;
    for (let day = toDay(interval.begins); day * DAY < interval.ends; day++) {
      if (days.get(day)?.some((other) => overlaps(other, interval))) return false;
    }
    return true;
  }

  /** The number of added intervals that overlap with this one. */
  count(person: string, interval: Interval): number {
    const found = new Set<Interval>();
    for (let day = toDay(interval.begins); day * DAY < interval.ends; day++) {
      for (const other of this.#busy.get(person)?.get(day) ?? []) if (overlaps(other, interval)) found.add(other);
    }
    return found.size;
  }
}

/** The UTC day as a number since 1970. */
const toDay = (moment: number): number => Math.floor(moment / DAY);
