import type { Day, LocalDateTime, LocalTime } from '../../src/ports/index.ts';
import { type Schedule, weekdays } from './world-schema.ts';

/** 0 for Monday to 6 for Sunday. */
export const getWeekday = (day: Day): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

/** Minutes since midnight of `hh:mm`. */
export const parseMinutes = (time: LocalTime): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** When a slot starts on each of the days of its schedule. */
export interface SlotTime {
  /** Since midnight. */
  readonly minutes: number;
  /** What follows the day in the start of the slot, `T09:00:00`, and in its id. */
  readonly time: string;
  readonly stamp: string;
}

const timesOf = new WeakMap<Schedule, readonly SlotTime[]>();

/** When the schedule's slots start, taken or not. */
export function listSlotTimes(schedule: Schedule): readonly SlotTime[] {
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

/** The starts of the schedule's slots on that day, taken or not. */
export const listSlotStarts = (schedule: Schedule, day: Day): LocalDateTime[] =>
  worksOn(schedule, getWeekday(day)) ? listSlotTimes(schedule).map(({ time }) => day + time) : [];

/** `hh:mm`, so many minutes after midnight. */
const formatTime = (minutes: number): LocalTime =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Whether the schedule has slots on that weekday, 0 for Monday to 6 for Sunday. */
export const worksOn = ({ days }: Schedule, weekday: number): boolean => days.includes(weekdays[weekday]!);

/** Whether a slot starts that many minutes after midnight on the days of the schedule. */
export function isOnGrid(schedule: Schedule, minutes: number): boolean {
  const since = minutes - parseMinutes(schedule.from);
  return since >= 0 && since % schedule.minutes === 0 && minutes + schedule.minutes <= parseMinutes(schedule.to);
}

/** The id of a slot, `{schedule}.{YYYYMMDD}T{hhmm}`. */
export const formatSlotId = ({ id }: Schedule, start: LocalDateTime): string =>
  `${id}.${formatStamp(start.slice(0, 16))}`;

/** A day, a time or both as they stand in the id of a slot. */
export const formatStamp = (text: string): string => text.replaceAll(/[-:]/g, '');
