import {
  type Appointment,
  type Appointments,
  type Booking,
  type Call,
  type Day,
  type Eligibility,
  Failure,
  type Instant,
  type Named,
  type Page,
  type Slot,
  type SlotQuery,
  takePage,
} from '../../src/ports/index.ts';
import { deepFreeze, toRecord } from '../../src/toolkit/records.ts';
import { isAhead } from '../common/bookable.ts';
import {
  checkBooking,
  computeMinutes,
  isCancelable,
  pickKept,
  pickSlots,
  throwNotThere,
  throwOfferMismatch,
} from '../common/booking.ts';
import { checkApplicant, isEligible, type ServiceWithLimits } from '../common/care-services.ts';
import { createPromisedFailure, requireFound } from '../common/failures.ts';
import { formatSlotId, formatStamp, type Interval, type SlotTime, visitSlots } from '../common/schedules.ts';
import { isBetweenHours, isOnDayOfWeek, type SlotHours } from '../common/slot-lists.ts';
import type { StoredAppointment, World } from './world.ts';
import type { Schedule } from './world-records.ts';

/** Every method is atomic: it has no `await` between its first check and its last change. */
export function createAppointments(world: World): Appointments {
  return {
    async list(patientId, query, call) {
      const { patients, appointments } = world;
      patients.get(patientId);
      const { from, status, order, page } = query;
      const found = appointments
        .findByPatient(patientId)
        .filter((each) => (from === undefined || each.start >= from) && (!status || each.status === status));
      // The sort is stable: appointments with the same begin stay in the order of their booking.
      if (order === 'descending') found.sort((a, b) => b.interval.begins - a.interval.begins);
      const { items, total } = takePage(found, page);
      return { items: items.map((row) => toAppointment(row, call)), total };
    },

    slots: async (query, call) => findFreeSlots(world, query, call.now),

    async book(patientId, booking, call) {
      const { appointments, bookings } = world;
      return bookings.once(call, [patientId, booking], () => {
        const appointment = createAppointment(world, patientId, booking, call);
        appointments.add(appointment);
        return { id: appointment.id };
      });
    },

    async cancel(patientId, appointmentId, call) {
      const { appointments, cancelUntilHours } = world;
      const appointment = appointments.findByPatient(patientId).find(({ id }) => id === appointmentId);
      if (!appointment) throw new Failure('not_found', 'the patient has no such appointment');
      if (appointment.status === 'canceled') return;
      if (!isCancelable({ ...appointment, ...appointment.interval }, cancelUntilHours, call))
        throw createPromisedFailure('not_cancelable');
      appointments.cancel(appointment);
    },
  };

  function toAppointment(stored: StoredAppointment, call: Call): Appointment {
    const { interval, coverageId, ...appointment } = stored;
    const cancelable = isCancelable({ ...stored, ...interval }, world.cancelUntilHours, call);
    const coverage = coverageId === undefined ? undefined : world.coverages.get(coverageId);
    return { ...appointment, cancelable, ...(coverage && { coverage }) };
  }
}

/**
 * Creates the appointment of a booking without changing the world.
 * @throws Failure as `Appointments.book` promises.
 */
export function createAppointment(world: World, patientId: string, booking: Booking, call: Call): StoredAppointment {
  const { serviceId, locationId, slotId, coverageId, start, minutes } = booking;
  const found = {
    patient: world.patients.find(patientId),
    service: findActiveService(world, serviceId),
    hasPractitioners: booking.practitionerIds.every((id) => world.practitioners.has(id)),
    hasLocation: world.locations.has(locationId ?? ''),
    coverage: world.coverages.get(coverageId ?? ''),
  };
  const begins = Date.parse(checkBooking(patientId, booking, found, { zone: world.zone, now: call.now }).start);
  const practitionerIds = [...new Set(booking.practitionerIds)];
  const [practitionerId, ...others] = practitionerIds;
  const anywhere = world.schedulesOfService.get(serviceId).filter((each) => each.practitionerId === practitionerId);
  const own = anywhere.filter((each) => (locationId ?? each.locationId) === each.locationId);
  if (slotId !== undefined && !own.some((schedule) => formatSlotId(schedule, start) === slotId)) throwOfferMismatch();
  const day = start.slice(0, 10);
  if (day > world.lastDay(call.now)) throw createPromisedFailure('slot_unknown');
  if (own.length === 0 && anywhere.length > 0) throwNotThere();
  const listOffered = (schedules: readonly Schedule[]) =>
    listSlots(world, schedules, day).map((slot) => ({
      ...slot,
      id: toSlot(slot).id,
      scheduleId: slot.schedule.id,
      isFree: isFree(world, slot.schedule, slot),
    }));
  const slots = pickSlots(listOffered(own), { begins, minutes, slotId });
  const [{ schedule }] = slots;
  for (const id of others) {
    const ofOther = [...world.schedules.values()].filter((each) => each.practitionerId === id);
    pickSlots(listOffered(ofOther), { begins, minutes: computeMinutes(slots) });
  }
  const details = toRecord<AppointmentDetails>({
    id: world.createId(),
    patientId,
    start,
    minutes: minutes ?? schedule.minutes,
    interval: { begins, ends: begins + computeMinutes(slots) * 60_000 },
    status: 'active',
    practitionerIds,
    payment: undefined,
    ...pickKept(booking),
  });
  return toStoredAppointment(world, schedule, details);
}

interface AppointmentDetails extends Omit<StoredAppointment, 'modality' | 'practitioners' | 'location' | 'services'> {
  /** Practitioners who exist, each once. */
  readonly practitionerIds: readonly string[];
}

/** Creates an appointment in slots of the schedule, with the names of practitioners, location and service. */
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

/**
 * The slots that can be booked now, by start. Slots outside the page are only counted.
 * @throws Failure invalid as `Appointments.slots` promises.
 */
function findFreeSlots(world: World, query: SlotQuery, now: Instant): Page<Slot> {
  const { serviceId, practitionerId, locationId, page } = query;
  const service = requireFound(findActiveService(world, serviceId), 'service', 'serviceId');
  const { practitioners, locations } = world;
  if (practitionerId !== undefined) requireFound(practitioners.get(practitionerId), 'practitioner', 'practitionerId');
  if (locationId !== undefined) requireFound(locations.get(locationId), 'location', 'locationId');
  const items: Slot[] = [];
  let total = 0;
  if (!isEligible(service, findApplicant(world, query), world.today(now))) return { items, total };
  const schedules = world.schedulesOfService.get(serviceId).filter((schedule) => matchesQuery(schedule, query));
  const isWanted = createFilter(world, query, Date.parse(now));
  const [first, end] = page ? [page.page * page.limit, (page.page + 1) * page.limit] : [0, Number.POSITIVE_INFINITY];
  for (const day of listDays(world, query, now)) {
    if (total >= end) {
      total += countSlots(world, schedules, day, isWanted);
      continue;
    }
    const free = listSlots(world, schedules, day, isWanted);
    const before = total;
    total += free.length;
    if (total <= first) continue;
    free.sort((a, b) => a.begins - b.begins);
    for (const slot of free.slice(Math.max(0, first - before), end - before)) items.push(toSlot(slot));
  }
  return { items, total };
}

/** Returns true if a list includes the slot. */
type KeepsSlot = (schedule: Schedule, time: SlotTime, interval: Interval) => boolean;

const createFilter =
  (world: World, hours: SlotHours, present: number): KeepsSlot =>
  (schedule, { minutes }, interval) =>
    isAhead(interval.begins, present) &&
    isBetweenHours(minutes, schedule.minutes, hours) &&
    isFree(world, schedule, interval);

/** The patient and the coverage with these ids. @throws Failure invalid as `CareServices.available` promises. */
export function findApplicant({ patients, coverages }: World, who: Eligibility) {
  const { patientId, coverageId } = who;
  const patient = patientId === undefined ? undefined : patients.find(patientId);
  const coverage = coverageId === undefined ? undefined : coverages.get(coverageId);
  checkApplicant(who, { patient, coverage });
  return { patient, coverage };
}

/** Undefined if there is no such service, or it is no longer offered. */
function findActiveService({ services }: World, id: string): ServiceWithLimits | undefined {
  const service = services.get(id);
  return service?.careService.active ? service : undefined;
}

/** A slot of a schedule; its interval is in milliseconds since 1970 (UTC). */
export interface AgendaSlot extends Interval {
  readonly schedule: Schedule;
  readonly day: Day;
  /** The day in the format of the id. */
  readonly stamp: string;
  readonly time: SlotTime;
}

/** The slots of the schedules on that day that pass the filter. Without a filter: all slots, free or taken. */
function listSlots(world: World, schedules: readonly Schedule[], day: Day, keeps?: KeepsSlot): AgendaSlot[] {
  const stamp = formatStamp(day);
  const slots: AgendaSlot[] = [];
  visitSlots(world.zone, schedules, day, (schedule, time, interval) => {
    if (keeps && !keeps(schedule, time, interval)) return;
    slots.push({ schedule, day, stamp, time, ...interval });
  });
  return slots;
}

/** The number of slots of the schedules on that day that pass the filter. */
function countSlots(world: World, schedules: readonly Schedule[], day: Day, keeps: KeepsSlot): number {
  let count = 0;
  visitSlots(world.zone, schedules, day, (schedule, time, interval) => {
    if (keeps(schedule, time, interval)) count += 1;
  });
  return count;
}

const isFree = ({ appointments }: World, { practitionerId }: Schedule, interval: Interval): boolean =>
  appointments.isPractitionerFree(practitionerId, interval);

const matchesQuery = (schedule: Schedule, { practitionerId, locationId, modality }: SlotQuery): boolean =>
  (practitionerId === undefined || schedule.practitionerId === practitionerId) &&
  (locationId === undefined || schedule.locationId === locationId) &&
  (modality === undefined || schedule.modality === modality);

function listDays(world: World, query: SlotQuery, now: Instant): readonly Day[] {
  const { from = '', to = '9999-12-31' } = query;
  return world.bookableDays(now).filter((day) => day >= from && day <= to && isOnDayOfWeek(day, query));
}

/** Converts it to a slot of the port. */
const toSlot = ({ schedule, day, stamp, time }: AgendaSlot): Slot => ({
  id: `${schedule.id}.${stamp}${time.stamp}`,
  start: day + time.time,
  minutes: schedule.minutes,
  serviceId: schedule.serviceId,
  practitionerId: schedule.practitionerId,
  locationId: schedule.locationId,
  modality: schedule.modality,
});
