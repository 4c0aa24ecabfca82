import { type Booking, Failure, type Instant, type Named, type Patient } from '../../src/ports/index.ts';
import { addMinutes } from '../zone.ts';
import type { Booked } from './agenda.ts';
import { coverageOf, isPaidBy, suits } from './eligibility.ts';
import { frozen } from './frozen.ts';
import { isSlot, type Schedule, scheduleIdIn, slotId } from './schedules.ts';
import { checkExists } from './slots.ts';
import type { Stretch } from './timetable.ts';
import type { World } from './world.ts';

/**
 * The appointment that a booking makes, ready for the agenda; nothing has changed yet.
 * @throws Failure as `Appointments.book` promises, in this order: what does not exist, what the patient or the coverage
 *   may not have, what is past, what was never offered, what is taken.
 */
export function appointmentFor(world: World, patient: Patient, booking: Booking, now: Instant): Booked {
  const practitionerIds = checkNames(world, booking);
  checkEligible(world, patient, booking, now);
  const { coverageId, copay, authorization, start, minutes } = booking;
  if (Date.parse(world.zone.momentOf(start, 'start')) <= Date.parse(now)) {
    throw new Failure('invalid', 'the time is past', { at: 'start' });
  }
  checkOffer(world, booking);
  const offers = offersFor(world, booking, now);
  if (offers.length === 0) {
    throw new Failure('invalid', 'no such slot was ever offered', { code: 'slot_unknown', at: 'start' });
  }
  const offer = offers.find(({ stretch }) => world.agenda.areFree(practitionerIds, stretch));
  if (!offer) throw new Failure('conflict', 'the slot is no longer free', { code: 'slot_taken' });
  if (!world.agenda.isPatientFree(patient.id, offer.stretch)) {
    throw new Failure('conflict', 'the patient has another appointment at this time');
  }
  return toBooked(world, offer.schedule, {
    id: crypto.randomUUID(),
    patientId: patient.id,
    start,
    minutes: minutes ?? offer.schedule.minutes,
    stretch: offer.stretch,
    status: 'active',
    practitionerIds,
    ...(coverageId !== undefined && { coverageId }),
    ...(copay !== undefined && { copay }),
    ...(authorization !== undefined && { authorization }),
  });
}

/** Everything that the booking names exists. The practitioners, each once. */
function checkNames(world: World, booking: Booking): readonly string[] {
  checkExists(world.services, booking.serviceId, 'service', 'serviceId');
  for (const id of booking.practitionerIds) checkExists(world.practitioners, id, 'practitioner', 'practitionerIds');
  if (booking.practitionerIds.length === 0) {
    throw new Failure('invalid', 'an appointment is with at least one practitioner', { at: 'practitionerIds' });
  }
  checkExists(world.locations, booking.locationId, 'location', 'locationId');
  checkExists(world.coverages, booking.coverageId, 'coverage', 'coverageId');
  if (booking.minutes !== undefined && !(booking.minutes > 0)) {
    throw new Failure('invalid', 'an appointment takes at least a minute', { at: 'minutes' });
  }
  return [...new Set(booking.practitionerIds)];
}

function checkEligible(world: World, patient: Patient, { serviceId, coverageId }: Booking, now: Instant): void {
  const coverage = coverageOf(world, coverageId, patient.id);
  if (coverage && !coverage.active) throw new Failure('invalid', 'the coverage is inactive', { at: 'coverageId' });
  const service = world.services.get(serviceId)!;
  if (!service.shown.active) throw new Failure('invalid', 'the service is not given now', { at: 'serviceId' });
  if (coverage && !isPaidBy(service, coverage)) {
    throw new Failure('invalid', 'the service does not accept the plan of this coverage', { at: 'coverageId' });
  }
  if (!suits(service, patient, world.today(now))) {
    throw new Failure('invalid', 'the service is not for patients of this age or sex', { at: 'serviceId' });
  }
}

function checkOffer(world: World, booking: Booking): void {
  if (booking.slotId === undefined) return;
  const schedule = world.schedules.get(scheduleIdIn(booking.slotId));
  if (!schedule || !isMeant(schedule, booking) || slotId(schedule, booking.start) !== booking.slotId) {
    throw new Failure('invalid', 'the offer is not for this time, service, practitioner and place', { at: 'slotId' });
  }
}

/** Slots of one schedule, one after the other without a gap, that the booking would fill, taken or not. */
interface Offer {
  readonly schedule: Schedule;
  readonly stretch: Stretch;
}

function offersFor(world: World, booking: Booking, now: Instant): Offer[] {
  if (booking.start.slice(0, 10) > world.lastDay(now)) return [];
  return world.schedulesOfService.of(booking.serviceId).flatMap((schedule) => {
    const stretch = isMeant(schedule, booking) ? stretchFor(world, schedule, booking) : undefined;
    return stretch ? [{ schedule, stretch }] : [];
  });
}

const isMeant = (schedule: Schedule, { serviceId, practitionerIds, locationId, slotId: offer }: Booking): boolean =>
  schedule.serviceId === serviceId &&
  schedule.practitionerId === practitionerIds[0] &&
  (locationId === undefined || schedule.locationId === locationId) &&
  (offer === undefined || schedule.id === scheduleIdIn(offer));

/** Undefined when the schedule lacks one of the slots, or a change of the clocks tears them apart. */
function stretchFor({ zone }: World, schedule: Schedule, { start, minutes }: Booking): Stretch | undefined {
  const length = schedule.minutes * 60_000;
  const begins = zone.epochOf(start)!;
  const count = Math.ceil((minutes ?? schedule.minutes) / schedule.minutes);
  for (let index = 0; index < count; index++) {
    const slot = addMinutes(start, index * schedule.minutes);
    if (!isSlot(schedule, slot) || zone.epochOf(slot) !== begins + index * length) return undefined;
  }
  return { begins, ends: begins + count * length };
}

/** What an appointment takes from somewhere else than its schedule. */
interface Particulars extends Omit<Booked, 'modality' | 'practitioners' | 'location' | 'services'> {
  /** That exist, each once. */
  readonly practitionerIds: readonly string[];
}

/** An appointment in slots of the schedule, with the names that people read. */
export function toBooked(world: World, schedule: Schedule, { practitionerIds, ...particulars }: Particulars): Booked {
  return frozen({
    ...particulars,
    modality: schedule.modality,
    practitioners: practitionerIds.map((id) => named(world.practitioners.get(id)!)),
    location: named(world.locations.get(schedule.locationId)!),
    services: [named(world.services.get(schedule.serviceId)!.shown)],
  });
}

const named = ({ id, name }: Named): Named => ({ id, name });
