import type { Booking, Call, Named } from '../../src/ports/index.ts';
import { deepFreeze } from '../../src/toolkit/deep-freeze.ts';
import { checkBooking } from '../common/booking-checks.ts';
import { computeMinutes, pickSlots, throwOfferMismatch } from '../common/contiguous-slots.ts';
import { createPromisedFailure } from '../common/promised-failures.ts';
import { formatSlotId } from '../common/weekly-schedules.ts';
import type { StoredAppointment } from './appointment-store.ts';
import { findActiveService, listSlots, type ScheduledSlot, toSlot } from './slots.ts';
import type { World } from './world.ts';
import type { Schedule } from './world-schema.ts';

/**
 * The appointment that a booking makes; the world has not changed yet.
 * @throws Failure as `Appointments.book` promises.
 */
export function createAppointment(world: World, patientId: string, booking: Booking, call: Call): StoredAppointment {
  const { serviceId, locationId, slotId, coverageId, copay, authorization, start, minutes } = booking;
  const found = {
    patient: world.patients.find(patientId),
    service: findActiveService(world, serviceId),
    hasPractitioners: booking.practitionerIds.every((id) => world.practitioners.has(id)),
    hasLocation: world.locations.has(locationId ?? ''),
    coverage: world.coverages.get(coverageId ?? ''),
  };
  const begins = Date.parse(checkBooking(patientId, booking, found, world.zone, call).start);
  const practitionerIds = [...new Set(booking.practitionerIds)];
  const [practitionerId, ...others] = practitionerIds;
  const own = world.schedulesOfService
    .get(serviceId)
    .filter((each) => each.practitionerId === practitionerId && (locationId ?? each.locationId) === each.locationId);
  if (slotId !== undefined && !own.some((schedule) => formatSlotId(schedule, start) === slotId)) throwOfferMismatch();
  const day = start.slice(0, 10);
  if (day > world.lastDay(call.now)) throw createPromisedFailure('slot_unknown');
  const slots = pickSlots(listSlots(world, own, day).map(toOffered), { begins, minutes, slotId });
  const [{ schedule }] = slots;
  for (const id of others) {
    const ofOther = [...world.schedules.values()].filter((each) => each.practitionerId === id);
    pickSlots(listSlots(world, ofOther, day).map(toOffered), { begins, minutes: computeMinutes(slots) });
  }
  return toStoredAppointment(world, schedule, {
    id: crypto.randomUUID(),
    patientId,
    start,
    minutes: minutes ?? schedule.minutes,
    interval: { begins, ends: begins + computeMinutes(slots) * 60_000 },
    status: 'active',
    practitionerIds,
    ...(coverageId !== undefined && { coverageId }),
    ...(copay !== undefined && { copay }),
    ...(authorization !== undefined && { authorization }),
  });
}

const toOffered = (slot: ScheduledSlot) => ({ ...slot, id: toSlot(slot).id, scheduleId: slot.schedule.id });

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
