/**
 * The rules that make a slot bookable, for lists of free slots and for bookings. docs/explanation/architecture.md, "A
 * bookable slot", names the caller of each rule in each adapter:
 *
 * 1. its schedule is open: `isOpenSchedule`;
 * 2. the slot is offered: `findFlaw` finds nothing. Otherwise a booking fails with `slot_unknown`;
 * 3. the slot is free: `findHolder` finds nothing. Otherwise a booking fails with `slot_taken`;
 * 4. it begins after this moment (`isAhead`), on `computeLastDay` or before.
 *
 * An adapter reads from its system what these functions need. The patients of a service: care-services.ts.
 */
import type { Call, Day } from '../../src/ports/index.ts';
import { addDays, type Zone } from '../../src/toolkit/zone.ts';
import type { Interval } from './schedules.ts';

/** The system's facts about a schedule and one of its practitioners. An unknown fact closes nothing. */
export interface ScheduleFacts {
  readonly scheduleActive?: boolean | undefined;
  /** True if the practitioner works at the institution. */
  readonly practitionerActive?: boolean | undefined;
  /** True if the practitioner works there in the role of the schedule. */
  readonly roleActive?: boolean | undefined;
  readonly placeOpen?: boolean | undefined;
}

/** True if the slots of the schedule can be booked with that practitioner. */
export const isOpenSchedule = (schedule: ScheduleFacts): boolean =>
  ![schedule.scheduleActive, schedule.practitionerActive, schedule.roleActive, schedule.placeOpen].includes(false);

/** The system's facts about a slot, free or taken. `begins` and `ends` are milliseconds since 1970 (UTC). */
export interface SlotFacts extends Interval {
  /** True if the slot was published by mistake. */
  readonly isMistake?: boolean | undefined;
  /** True if the local time of the slot occurs for the second time, after the clocks go back. */
  readonly isRepeatedTime?: boolean | undefined;
  /** False if the slot is only for other services of its schedule. */
  readonly isForService?: boolean | undefined;
  /** True if an appointment has the slot, or the institution closed it. */
  readonly isTaken: boolean;
  /** True if the slot has more appointments than its capacity. */
  readonly isOverbooked?: boolean | undefined;
  /** The kind of appointment for which the slot is reserved (HL7 v2, table 0276). */
  readonly appointmentType?: string | undefined;
}

/** Finds the reason why the slot cannot be offered to anybody, free or taken. */
export function findFlaw(slot: SlotFacts) {
  if (slot.isMistake) return 'mistake';
  if (slot.ends - slot.begins < 60_000) return 'too-short';
  // A booking names a local time, and thereby the first of the two moments.
  if (slot.isRepeatedTime) return 'repeated-time';
  if (slot.isForService === false) return 'other-service';
  return undefined;
}

/** The kinds of appointments that cannot be booked ahead. */
const unbookableTypes: readonly (string | undefined)[] = ['EMERGENCY', 'WALKIN'];

/** The reason why an offered slot is not free. */
export function findHolder(slot: SlotFacts) {
  if (slot.isOverbooked) return 'overbooked';
  if (slot.isTaken) return 'appointment';
  if (unbookableTypes.includes(slot.appointmentType)) return 'unplanned-visits';
  return undefined;
}

/** True if the slot begins later. Both are milliseconds since 1970 (UTC). */
export const isAhead = (begins: number, now: number): boolean => begins > now;

/** The last day whose slots are offered and booked. */
export const computeLastDay = (zone: Zone, bookingHorizonDays: number, { now }: Pick<Call, 'now'>): Day =>
  addDays(zone.toLocalDay(now), bookingHorizonDays);
