import type { Day, Instant, LocalDateTime } from '../../src/ports/index.ts';
import { addDays, type Zone } from '../../src/toolkit/zone.ts';
import { getWeekday, weekdays } from '../common/weekly-schedules.ts';
import type { Appointment, RelativeTime } from './world-schema.ts';

/** The moment that a time of the world file means today; the beginning of the day where a change of the clocks skips it. */
export function toInstant({ daysAgo, time }: RelativeTime, today: Day, zone: Zone): Instant {
  const day = addDays(today, -daysAgo);
  const epoch = zone.toEpoch(`${day}T${time}:00`);
  return epoch === undefined ? zone.toStartOfDay(day) : new Date(epoch).toISOString();
}

/** The local time at which an appointment of the world file starts, whose weeks count from the one of today. */
export function computeStart({ week, day, time }: Appointment, today: Day): LocalDateTime {
  const monday = addDays(today, -getWeekday(today));
  return `${addDays(monday, week * 7 + weekdays.indexOf(day))}T${time}:00`;
}
