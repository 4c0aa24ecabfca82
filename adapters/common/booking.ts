import {
  type Appointment,
  type Booking,
  type Call,
  type Coverage,
  Failure,
  type Instant,
} from '../../src/ports/index.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import { isAhead } from './bookable.ts';
import {
  checkApplicant,
  isPaidBy,
  meetsAgeAndSex,
  type Payer,
  type Person,
  type ServiceLimits,
} from './care-services.ts';
import { checkOpenRecord, createPromisedFailure, requireFound } from './failures.ts';

/** The records that a booking names, as far as they were found. */
export interface FoundForBooking<S extends ServiceLimits> {
  readonly patient: Person | undefined;
  /** Undefined also if the institution does not offer it now. */
  readonly service: S | undefined;
  /** True if all of them exist. */
  readonly hasPractitioners: boolean;
  /** True if the location exists. Ignored if the booking names none. */
  readonly hasLocation: boolean;
  readonly coverage: (Payer & Pick<Coverage, 'patientId'>) | undefined;
}

/**
 * Checks everything about a booking that needs no slots. Returns the service and the start of the appointment.
 * @throws Failure as `Appointments.book` promises, in its order, up to a start in the past.
 */
export function checkBooking<S extends ServiceLimits>(
  patientId: string,
  booking: Booking,
  found: FoundForBooking<S>,
  { zone, now }: { readonly zone: Zone; readonly now: Instant },
): { readonly service: S; readonly start: Instant } {
  const { patient, coverage } = found;
  if (!patient) throw new Failure('not_found', 'there is no such patient');
  checkOpenRecord(patient, 'patientId');
  const service = requireFound(found.service, 'service', 'serviceId');
  requireFound(found.hasPractitioners, 'practitioner', 'practitionerIds');
  if (booking.practitionerIds.length === 0) {
    throw new Failure('invalid', 'an appointment needs at least one practitioner', { at: 'practitionerIds' });
  }
  requireFound(booking.locationId === undefined || found.hasLocation, 'location', 'locationId');
  const { coverageId } = booking;
  if (coverageId !== undefined) checkApplicant({ patientId, coverageId }, found);
  if (coverage && !coverage.active) throw new Failure('invalid', 'the coverage is inactive', { at: 'coverageId' });
  if (coverage && !isPaidBy(service, coverage)) {
    throw new Failure('invalid', 'the service does not accept the plan of this coverage', { at: 'coverageId' });
  }
  if (!meetsAgeAndSex(service, patient, zone.toLocalDay(now))) {
    throw new Failure('invalid', 'the service is not for patients of this age or sex', { at: 'serviceId' });
  }
  if (booking.minutes !== undefined && !(booking.minutes > 0)) {
    throw new Failure('invalid', 'an appointment takes at least one minute', { at: 'minutes' });
  }
  const start = zone.toInstant(booking.start, 'start');
  if (!isAhead(Date.parse(start), Date.parse(now)))
    throw new Failure('invalid', 'the time is in the past', { at: 'start' });
  return { service, start };
}

/** The fields that select the slots of a booking. */
type SlotField = 'serviceId' | 'practitionerIds' | 'start' | 'minutes' | 'locationId' | 'slotId';

/** Picks the other fields of a booking, which the appointment keeps unchanged. */
export const pickKept = ({ coverageId, copay, authorization }: Booking) =>
  ({ coverageId, copay, authorization }) satisfies Record<Exclude<keyof Booking, SlotField>, unknown>;

/**
 * True if an appointment can be canceled now: it is active, and its start is far enough in the future.
 * @param begins milliseconds since 1970 (UTC), as `Zone.toEpoch` returns them.
 * @param cancelUntilHours the last moment for a cancellation, in hours before the start.
 */
export function isCancelable(
  { status, begins }: Pick<Appointment, 'status'> & { readonly begins: number },
  cancelUntilHours: number,
  { now }: Pick<Call, 'now'>,
): boolean {
  const left = begins - Date.parse(now);
  return status === 'active' && left > 0 && left >= cancelUntilHours * 3_600_000;
}

/** An offered slot, free or taken. Times are milliseconds since 1970 (UTC). */
export interface OfferedSlot {
  readonly id: string;
  /** Only slots of the same schedule can follow each other. */
  readonly scheduleId: string;
  readonly begins: number;
  readonly ends: number;
  readonly isFree: boolean;
}

/** Selects slots. Without `minutes` one slot is selected, and without `slotId` any slot that begins then. */
export interface WantedSlots {
  readonly begins: number;
  readonly minutes?: number | undefined;
  readonly slotId?: string | undefined;
  /** The code if no slot is listed. Default: none was ever offered. */
  readonly unlisted?: 'slot_unknown' | 'slot_taken';
}

/**
 * Picks contiguous free slots of one schedule that begin then and last long enough. If several fit, it picks the first
 * in the order of the list.
 * @throws Failure `unlisted` when none are listed, at `minutes` when too few follow, conflict `slot_taken` when none
 * are free.
 */
export function pickSlots<T extends OfferedSlot>(
  offered: readonly T[],
  { begins, minutes = 0, slotId, unlisted = 'slot_unknown' }: WantedSlots,
): readonly [T, ...T[]] {
  const isFirst = (slot: T): boolean => slot.begins === begins && (slotId ?? slot.id) === slot.id;
  const runs = offered.filter(isFirst).flatMap((first) => findRun(first, offered, minutes) ?? []);
  const free = runs.find(({ slots }) => slots.every(({ isFree }) => isFree));
  if (free) return free.slots;
  if (runs.length === 0 && unlisted === 'slot_unknown' && offered.some(isFirst)) {
    const message = 'too few consecutive slots for these minutes';
    throw new Failure('invalid', message, { code: 'slot_unknown', at: 'minutes' });
  }
  throw createPromisedFailure(runs.length > 0 ? 'slot_taken' : unlisted);
}

/** The duration of contiguous slots in whole minutes. */
export const computeMinutes = (slots: readonly [OfferedSlot, ...OfferedSlot[]]): number =>
  toMinute((slots.at(-1) ?? slots[0]).ends - slots[0].begins);

/** Rounds, so that slots of odd length, such as one until 10:19:59, can follow each other. */
const toMinute = (moment: number): number => Math.round(moment / 60_000);

function findRun<T extends OfferedSlot>(
  first: T,
  offered: readonly T[],
  minutes: number,
): { readonly slots: readonly [T, ...T[]] } | undefined {
  const slots: [T, ...T[]] = [first];
  for (let last = first; computeMinutes(slots) < minutes; slots.push(last)) {
    const next = offered.filter(
      ({ scheduleId, begins, ends }) =>
        scheduleId === first.scheduleId && toMinute(begins) === toMinute(last.ends) && toMinute(ends - begins) > 0,
    );
    const following = next.find(({ isFree }) => isFree) ?? next[0];
    if (!following) return undefined;
    last = following;
  }
  return { slots };
}

/** @throws Failure invalid at `slotId`: the slot does not agree with the booking. */
export function throwOfferMismatch(): never {
  const message = 'the offer is not for this time, service, practitioner and location';
  throw new Failure('invalid', message, { at: 'slotId' });
}

/** @throws Failure invalid `slot_unknown` at `locationId`: the practitioner offers the service only elsewhere. */
export function throwNotThere(): never {
  const message = 'the practitioner does not offer this service at this location';
  throw new Failure('invalid', message, { code: 'slot_unknown', at: 'locationId' });
}
