import type { Day, LocalDateTime, LocalTime } from '../../src/ports/index.ts';
import { addMinutes } from '../zone.ts';
import { type Schedule, weekdays } from './world-schema.ts';

/** 0 for Monday to 6 for Sunday. */
export const getWeekday = (day: Day): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

/** Minutes since midnight of `hh:mm`. */
export const parseMinutes = (time: LocalTime): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** The starts of the schedule's slots on that day, taken or not. */
export function listSlotStarts(schedule: Schedule, day: Day): LocalDateTime[] {
  if (!worksOn(schedule, getWeekday(day))) return [];
  const first = `${day}T${schedule.from}:00`;
  const count = Math.floor((parseMinutes(schedule.to) - parseMinutes(schedule.from)) / schedule.minutes);
  return Array.from({ length: count }, (_, index) => addMinutes(first, index * schedule.minutes));
}

/** Whether the schedule has slots on that weekday, 0 for Monday to 6 for Sunday. */
export const worksOn = ({ days }: Schedule, weekday: number): boolean => days.includes(weekdays[weekday]!);

/** Whether a slot starts that many minutes after midnight on the days of the schedule. */
export function isOnGrid(schedule: Schedule, minutes: number): boolean {
  const since = minutes - parseMinutes(schedule.from);
  return since >= 0 && since % schedule.minutes === 0 && minutes + schedule.minutes <= parseMinutes(schedule.to);
}

/** The id of a slot, `{schedule}.{YYYYMMDD}T{hhmm}`. */
export const formatSlotId = ({ id }: Schedule, start: LocalDateTime): string =>
  `${id}.${start.slice(0, 16).replaceAll(/[-:]/g, '')}`;

/** The id of the schedule in the id of a slot. */
export const parseScheduleId = (slotId: string): string => slotId.slice(0, Math.max(0, slotId.lastIndexOf('.')));
