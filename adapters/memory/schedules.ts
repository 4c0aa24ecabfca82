import type { Day, LocalDateTime, LocalTime } from '../../src/ports/index.ts';
import { type Schedule, weekdays } from './world-schema.ts';

/** 0 for Monday to 6 for Sunday. */
export const getWeekday = (day: Day): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

/** Minutes since midnight of `hh:mm`. */
export const parseMinutes = (time: LocalTime): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** The starts of the schedule's slots on that day, taken or not. */
export function listSlotStarts(schedule: Schedule, day: Day): LocalDateTime[] {
  if (!worksOn(schedule, getWeekday(day))) return [];
  const from = parseMinutes(schedule.from);
  const count = Math.floor((parseMinutes(schedule.to) - from) / schedule.minutes);
  return Array.from({ length: count }, (_, index) => `${day}T${formatTime(from + index * schedule.minutes)}:00`);
}

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
  `${id}.${start.slice(0, 4)}${start.slice(5, 7)}${start.slice(8, 13)}${start.slice(14, 16)}`;

/** The id of the schedule in the id of a slot. */
export const parseScheduleId = (slotId: string): string => slotId.slice(0, Math.max(0, slotId.lastIndexOf('.')));
