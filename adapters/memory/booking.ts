import { type Booking, Failure, type Instant, type Named, type Patient } from '../../src/ports/index.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { addMinutes } from '../zone.ts';
import type { StoredAppointment } from './appointment-store.ts';
import type { Interval } from './busy-intervals.ts';
import { findCoverage, isPaidBy, meetsAgeAndSex } from './eligibility.ts';
import { formatSlotId, isSlot, parseScheduleId } from './schedules.ts';
import { checkExists, requireActiveService } from './slots.ts';
import type { World } from './world.ts';
import type { Schedule } from './world-schema.ts';

/**
 * The appointment that a booking makes; the world has not changed yet.
 * @throws Failure as `Appointments.book` promises, in this order: what does not exist, what the patient or the coverage is
 *   not eligible for, what is in the past, what was never offered, what is taken.
 */
export function createAppointment(world: World, patient: Patient, booking: Booking, now: Instant): StoredAppointment {
  const practitionerIds = checkReferences(world, booking);
  checkEligible(world, patient, booking, now);
  const { coverageId, copay, authorization, start, minutes } = booking;
  if (Date.parse(world.zone.toInstant(start, 'start')) <= Date.parse(now)) {
    throw new Failure('invalid', 'the time is in the past', { at: 'start' });
  }
  checkOffer(world, booking);
  const [first = '', ...others] = practitionerIds;
  const offer = pickFree(world, first, findOffers(world, booking, now));
  for (const id of others) pickFree(world, id, findSlotsOf(world, id, booking, offer.interval));
  return toStoredAppointment(world, offer.schedule, {
    id: crypto.randomUUID(),
    patientId: patient.id,
    start,
    minutes: minutes ?? offer.schedule.minutes,
    interval: offer.interval,
    status: 'active',
    practitionerIds,
    ...(coverageId !== undefined && { coverageId }),
    ...(copay !== undefined && { copay }),
    ...(authorization !== undefined && { authorization }),
  });
}

/** Throws unless everything that the booking refers to exists. Returns the practitioners, each once. */
function checkReferences(world: World, booking: Booking): readonly string[] {
  requireActiveService(world, booking.serviceId);
  for (const id of booking.practitionerIds) checkExists(world.practitioners, id, 'practitioner', 'practitionerIds');
  if (booking.practitionerIds.length === 0) {
    throw new Failure('invalid', 'an appointment needs at least one practitioner', { at: 'practitionerIds' });
  }
  checkExists(world.locations, booking.locationId, 'location', 'locationId');
  checkExists(world.coverages, booking.coverageId, 'coverage', 'coverageId');
  if (booking.minutes !== undefined && !(booking.minutes > 0)) {
    throw new Failure('invalid', 'an appointment takes at least one minute', { at: 'minutes' });
  }
  return [...new Set(booking.practitionerIds)];
}

function checkEligible(world: World, patient: Patient, { serviceId, coverageId }: Booking, now: Instant): void {
  const coverage = findCoverage(world, coverageId, patient.id);
  if (coverage && !coverage.active) throw new Failure('invalid', 'the coverage is inactive', { at: 'coverageId' });
  const service = requireActiveService(world, serviceId);
  if (coverage && !isPaidBy(service, coverage)) {
    throw new Failure('invalid', 'the service does not accept the plan of this coverage', { at: 'coverageId' });
  }
  if (!meetsAgeAndSex(service, patient, world.today(now))) {
    throw new Failure('invalid', 'the service is not for patients of this age or sex', { at: 'serviceId' });
  }
}

function checkOffer(world: World, booking: Booking): void {
  if (booking.slotId === undefined) return;
  const schedule = world.schedules.get(parseScheduleId(booking.slotId));
  if (!schedule || !matchesBooking(schedule, booking) || formatSlotId(schedule, booking.start) !== booking.slotId) {
    throw new Failure('invalid', 'the offer is not for this time, service, practitioner and location', {
      at: 'slotId',
    });
  }
}

/** Contiguous slots of one schedule that the booking would fill, taken or not. */
interface Offer {
  readonly schedule: Schedule;
  readonly interval: Interval;
}

function findOffers(world: World, booking: Booking, now: Instant): Offer[] {
  if (booking.start.slice(0, 10) > world.lastDay(now)) return [];
  return world.schedulesOfService.get(booking.serviceId).flatMap((schedule) => {
    const interval = matchesBooking(schedule, booking) ? findInterval(world, schedule, booking) : undefined;
    return interval ? [{ schedule, interval }] : [];
  });
}

/** The slots of another practitioner, whatever they are for, that begin with the booking and last as long. */
function findSlotsOf(world: World, practitionerId: string, { start }: Booking, { begins, ends }: Interval): Offer[] {
  return [...world.schedules.values()].flatMap((schedule) => {
    if (schedule.practitionerId !== practitionerId) return [];
    const interval = findInterval(world, schedule, { start, minutes: (ends - begins) / 60_000 });
    return interval ? [{ schedule, interval }] : [];
  });
}

/** @throws Failure `slot_unknown` when there are no offers, `slot_taken` when the practitioner is free at none. */
function pickFree({ appointments }: World, practitionerId: string, offers: readonly Offer[]): Offer {
  if (offers.length === 0) {
    throw new Failure('invalid', 'nobody offers this time', { code: 'slot_unknown', at: 'start' });
  }
  const offer = offers.find(({ interval }) => appointments.arePractitionersFree([practitionerId], interval));
  if (!offer) throw new Failure('conflict', 'the slot is no longer free', { code: 'slot_taken' });
  return offer;
}

const matchesBooking = (schedule: Schedule, { serviceId, practitionerIds, locationId, slotId }: Booking): boolean =>
  schedule.serviceId === serviceId &&
  schedule.practitionerId === practitionerIds[0] &&
  (locationId === undefined || schedule.locationId === locationId) &&
  (slotId === undefined || schedule.id === parseScheduleId(slotId));

/** Undefined when the schedule lacks one of the slots, or a change of the clocks separates them. */
function findInterval(
  { zone }: World,
  schedule: Schedule,
  { start, minutes }: Pick<Booking, 'start' | 'minutes'>,
): Interval | undefined {
  const length = schedule.minutes * 60_000;
  const begins = zone.toEpoch(start)!;
  const count = Math.ceil((minutes ?? schedule.minutes) / schedule.minutes);
  for (let index = 0; index < count; index++) {
    const slot = addMinutes(start, index * schedule.minutes);
    if (!isSlot(schedule, slot) || zone.toEpoch(slot) !== begins + index * length) return undefined;
  }
  return { begins, ends: begins + count * length };
}

/** The parts of an appointment that do not come from its schedule. */
interface AppointmentDetails extends Omit<StoredAppointment, 'modality' | 'practitioners' | 'location' | 'services'> {
  /** Practitioners who exist, each once. */
  readonly practitionerIds: readonly string[];
}

/** An appointment in slots of the schedule, with the names of practitioners, location and service. */
export function toStoredAppointment(
  world: World,
  schedule: Schedule,
  { practitionerIds, ...details }: AppointmentDetails,
): StoredAppointment {
  return deepFreeze({
    ...details,
    modality: schedule.modality,
    practitioners: practitionerIds.map((id) => toNamed(world.practitioners.get(id)!)),
    location: toNamed(world.locations.get(schedule.locationId)!),
    services: [toNamed(world.services.get(schedule.serviceId)!.careService)],
  });
}

const toNamed = ({ id, name }: Named): Named => ({ id, name });
