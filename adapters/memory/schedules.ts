import type { Day, LocalDateTime, LocalTime, Modality } from '../../src/ports/index.ts';
import { weekdays } from './world-schema.ts';

/** A weekly block of slots: one every `minutes`, the first at `from`, the last one ending by `to`. */
export interface Schedule {
  readonly id: string;
  readonly serviceId: string;
  readonly practitionerId: string;
  readonly locationId: string;
  readonly modality: Modality;
  readonly days: readonly string[];
  readonly from: LocalTime;
  readonly to: LocalTime;
  readonly minutes: number;
}

/** 0 for Monday to 6 for Sunday. */
export const getWeekday = (day: Day): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

/** Minutes since midnight of `hh:mm`. */
export const parseMinutes = (time: LocalTime): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

const formatTime = (minutes: number): LocalTime =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** The starts of the schedule's slots on that day, taken or not. */
export function listSlotStarts(schedule: Schedule, day: Day): LocalDateTime[] {
  if (!worksOn(schedule, getWeekday(day))) return [];
  const starts: LocalDateTime[] = [];
  const last = parseMinutes(schedule.to) - schedule.minutes;
  for (let start = parseMinutes(schedule.from); start <= last; start += schedule.minutes) {
    starts.push(`${day}T${formatTime(start)}:00`);
  }
  return starts;
}

/** Whether one of the schedule's slots starts then, taken or not. */
export const isSlot = (schedule: Schedule, start: LocalDateTime): boolean =>
  start.endsWith(':00') &&
  worksOn(schedule, getWeekday(start.slice(0, 10))) &&
  isOnGrid(schedule, parseMinutes(start.slice(11, 16)));

/** Whether the schedule has slots on that weekday, 0 for Monday to 6 for Sunday. */
export const worksOn = ({ days }: Schedule, weekday: number): boolean => days.includes(weekdays[weekday]!);

/** Whether a slot starts so many minutes after midnight on the days on which the schedule works. */
export function isOnGrid(schedule: Schedule, minutes: number): boolean {
  const since = minutes - parseMinutes(schedule.from);
  return since >= 0 && since % schedule.minutes === 0 && minutes + schedule.minutes <= parseMinutes(schedule.to);
}

/** The id of the offer of one slot, `{schedule}.{YYYYMMDD}T{hhmm}`. */
export const formatSlotId = ({ id }: Schedule, start: LocalDateTime): string =>
  `${id}.${start.slice(0, 16).replaceAll(/[-:]/g, '')}`;

/** The schedule that the id of an offer names. */
export const parseScheduleId = (offer: string): string => offer.slice(0, Math.max(0, offer.lastIndexOf('.')));
