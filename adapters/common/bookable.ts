/**
 * The rules that make a slot bookable, for lists of free slots and for bookings. The FHIR adapter asks all of these functions. `memory`
 * and `mapping` have no slots with flaws, know by their own appointments who has a slot, and ask the rest:
 *
 * 1. its schedule is open: `isOpenSchedule`;
 * 2. the slot is offered: `findFlaw` finds nothing. A booking of another one fails with `slot_unknown`;
 * 3. nobody has the slot: `findHolder` finds nothing. A booking of another one fails with `slot_taken`;
 * 4. it begins after this moment (`isAhead`), on `computeLastDay` or before.
 *
 * An adapter reads from its system what these functions ask about. Which patients a service is for: care-services.ts.
 */
import type { Call, Day } from '../../src/ports/index.ts';
import { addDays, type Zone } from '../../src/toolkit/zone.ts';
import type { Interval } from './schedules.ts';

/** The system's facts about a schedule and one of its practitioners. A missing fact closes nothing. */
export interface ScheduleFacts {
  readonly scheduleActive?: boolean | undefined;
  /** True if the practitioner works at the institution. */
  readonly practitionerActive?: boolean | undefined;
  /** True if the practitioner works there in the role that the schedule is for. */
  readonly roleActive?: boolean | undefined;
  readonly placeOpen?: boolean | undefined;
}

/** True if slots of the schedule can be booked with that practitioner. */
export const isOpenSchedule = (schedule: ScheduleFacts): boolean =>
  ![schedule.scheduleActive, schedule.practitionerActive, schedule.roleActive, schedule.placeOpen].includes(false);

/** The system's facts about a slot, taken or not. `begins` and `ends` are milliseconds since 1970 (UTC). */
export interface SlotFacts extends Interval {
  /** The slot was published by mistake. */
  readonly isMistake?: boolean | undefined;
  /** The clocks went back, and the local time of the slot comes for the second time. */
  readonly isRepeatedTime?: boolean | undefined;
  /** False if the slot is for other services of its schedule alone. */
  readonly isForService?: boolean | undefined;
  /** An appointment has the slot, or the institution closed it. */
  readonly isTaken: boolean;
  /** More people have the slot than it has room for. */
  readonly isOverbooked?: boolean | undefined;
  /** The kind of appointment that the slot is kept for (HL7 v2, table 0276). */
  readonly appointmentType?: string | undefined;
}

/** Why a slot is not offered to anybody, whether it is taken or not. */
export function findFlaw(slot: SlotFacts) {
  if (slot.isMistake) return 'mistake';
  if (slot.ends - slot.begins < 60_000) return 'too-short';
  // A booking names a local time, which means the first of the two moments.
  if (slot.isRepeatedTime) return 'repeated-time';
  if (slot.isForService === false) return 'other-service';
  return undefined;
}

/** The kinds of appointments that nobody books ahead. */
const unbookableTypes: readonly (string | undefined)[] = ['EMERGENCY', 'WALKIN'];

/** Why a slot that is offered is not free. */
export function findHolder(slot: SlotFacts) {
  if (slot.isOverbooked) return 'overbooked';
  if (slot.isTaken) return 'appointment';
  if (unbookableTypes.includes(slot.appointmentType)) return 'unplanned-visits';
  return undefined;
}

/** True if the slot begins later; both are milliseconds since 1970 (UTC). */
export const isAhead = (begins: number, now: number): boolean => begins > now;

/** The last day on which slots are offered and booked. */
export const computeLastDay = (zone: Zone, bookingHorizonDays: number, { now }: Pick<Call, 'now'>): Day =>
  addDays(zone.toLocalDay(now), bookingHorizonDays);
