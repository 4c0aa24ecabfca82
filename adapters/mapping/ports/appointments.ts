import {
  type Appointments,
  type Booking,
  type Call,
  Failure,
  type Page,
  type Slot,
  type SlotQuery,
  takePage,
} from '../../../src/ports/index.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { addMinutes } from '../../../src/toolkit/zone.ts';
import { computeLastDay, isAhead } from '../../common/bookable.ts';
import { checkBooking, computeMinutes, pickKept, pickSlots, throwOfferMismatch } from '../../common/booking.ts';
import { checkApplicant, isEligible } from '../../common/care-services.ts';
import { createPromisedFailure, requireFound } from '../../common/failures.ts';
import { computeDigest } from '../../common/key-store.ts';
import { findWritten, settleWrite } from '../../common/outcome.ts';
import { takeSlots } from '../../common/slot-lists.ts';
import { listAppointments, showAppointments } from './appointment-records.ts';
import { findApplicant, listServices } from './catalogue.ts';
import type { Hospital } from './hospital.ts';
import { findOf } from './patients.ts';
import { keepOpen, listSlots, type SlotFilter, type SystemSlot } from './slots.ts';
import { getMadeId, type Keys, makeOnce, requireGone } from './writes.ts';

export const createAppointments = (hospital: Hospital, keys: Keys): Appointments => ({
  list: async (patientId, { from = '', status, order, page }, call) => {
    const records = await findOf(hospital, patientId, call, listAppointments(hospital, { patientId }, call));
    const found = records.filter((each) => each.start >= from && each.status === (status ?? each.status));
    const { items, total } = takePage(order === 'ascending' ? found : found.toReversed(), page);
    return { items: await showAppointments(hospital, patientId, items, call), total };
  },

  slots: (query, call) => listFreeSlots(hospital, query, call),

  book: (patientId, booking, call) => {
    const find = () => findBooked(hospital, patientId, booking, call);
    const make = () => book(hospital, patientId, booking, call);
    const write = () => hospital.turns?.take(make) ?? make();
    return makeOnce(keys, call, { content: ['appointments.book', patientId, booking], write, find });
  },

  cancel: async (patientId, appointmentId, call) => {
    const missing = new Failure('not_found', 'the patient has no such appointment');
    const find = async () =>
      (await listAppointments(hospital, { patientId, appointmentId }, call)).find(({ id }) => id === appointmentId);
    const appointment = await findOf(hospital, patientId, call, find());
    if (!appointment) throw missing;
    if (appointment.status === 'canceled') return;
    if (!appointment.cancelable) throw createPromisedFailure('not_cancelable');
    const cancel = async () => {
      const result = await hospital.change('appointments', 'cancel', { patientId, appointmentId }, call);
      getMadeId(result, { nothing: missing });
      await requireGone(result, async () => (await find())?.status === 'active');
      return true;
    };
    await settleWrite(cancel, async () => (await find())?.status === 'canceled' || undefined);
  },
});

/** See `Appointments.slots`. */
async function listFreeSlots(hospital: Hospital, query: SlotQuery, call: Call): Promise<Page<Slot>> {
  const { serviceId, practitionerId, locationId } = query;
  const [applicant, services, practitioners, locations] = await Promise.all([
    findApplicant(hospital, query, call),
    listServices(hospital, call),
    hospital.find('practitioners', 'all', {}, call),
    hospital.find('locations', 'all', {}, call),
  ]);
  const has = (list: readonly { readonly id: string }[], id: string | undefined) =>
    id === undefined || list.some((each) => each.id === id);
  const service = requireFound(
    services.find(({ careService }) => careService.id === serviceId),
    'service',
    'serviceId',
  );
  requireFound(has(practitioners, practitionerId), 'practitioner', 'practitionerId');
  requireFound(has(locations, locationId), 'location', 'locationId');
  checkApplicant(query, applicant);
  const today = hospital.zone.toLocalDay(call.now);
  if (!isEligible(service, applicant, today)) return takeSlots([], query);
  const { from = '', to = '9999' } = query;
  const last = computeLastDay(hospital.zone, hospital.bookingHorizonDays, call);
  const days = { from: from > today ? from : today, to: to < last ? to : last };
  const slots = await listSlots(hospital, { serviceId, practitionerId, locationId, ...days }, call);
  const free = keepOpen(slots, practitioners, locations)
    .filter(({ isFree, begins }) => isFree && isAhead(begins, Date.parse(call.now)))
    .map(({ slot }) => slot);
  return takeSlots(free, query);
}

/**
 * Books, and returns the id of the appointment if the system returns it.
 * @throws Failure as `Appointments.book` promises.
 */
async function book(hospital: Hospital, patientId: string, booking: Booking, call: Call) {
  const { serviceId, practitionerIds, locationId, coverageId } = booking;
  const [applicant, services, practitioners, locations] = await Promise.all([
    findApplicant(hospital, { patientId, ...(coverageId !== undefined && { coverageId }) }, call),
    listServices(hospital, call),
    hospital.find('practitioners', 'all', {}, call),
    hospital.find('locations', 'all', {}, call),
  ]);
  const found = {
    ...applicant,
    service: services.find(({ careService }) => careService.id === serviceId),
    hasPractitioners: practitionerIds.every((id) => practitioners.some((each) => each.id === id)),
    hasLocation: locations.some(({ id }) => id === locationId),
  };
  const begins = Date.parse(checkBooking(patientId, booking, found, { zone: hospital.zone, now: call.now }).start);
  const kept = pickKept(booking);
  hospital.requireNames('appointments.book', kept);
  const listDay: ListDay = async (filter) => {
    const day = booking.start.slice(0, 10);
    return keepOpen(await listSlots(hospital, { ...filter, from: day, to: day }, call), practitioners, locations);
  };
  const slots = await pick(hospital, booking, { begins, listDay }, call);
  if (!takesAll(hospital, slots)) throw createSingleFailure();
  const { values, perSlot } = nameSlots(slots, booking.minutes);
  const { client, idempotencyKey: key } = call;
  const idempotencyKey = key && computeDigest(['appointments.book', client, key]).slice(0, 32);
  const given = { ...values, ...kept, patientId, serviceId, idempotencyKey };
  const make = async () => getMadeId(await hospital.change('appointments', 'book', { ...given, perSlot }, call));
  if (!hospital.turns) return make();
  const find = () => findBooked(hospital, patientId, booking, call);
  const appointmentId = (await settleWrite(make, find)) ?? (await findWritten(find));
  if (appointmentId === undefined) return appointmentId;
  const refusal = await findRefusal(hospital, slots, call);
  if (refusal === undefined) return appointmentId;
  await hospital.change('appointments', 'cancel', { patientId, appointmentId }, call).catch(ignoreFailure);
  // A booking that cannot be undone counts as made.
  if ((await findWritten(find)) === appointmentId) return appointmentId;
  throw refusal;
}

/** Why a booking of these slots cannot remain. Undefined if the system shows it as the only one. */
async function findRefusal(hospital: Hospital, slots: readonly [SystemSlot, ...SystemSlot[]], call: Call) {
  const day = slots[0].slot.start.slice(0, 10);
  try {
    const listed = await listSlots(hospital, { from: day, to: day }, call);
    const isAlone = slots.every(({ id }) => listed.find((each) => each.id === id)?.countTaken?.() === 1);
    return isAlone ? undefined : createPromisedFailure('slot_taken');
  } catch (error) {
    ignoreFailure(error);
    return new Failure('unavailable', 'the booking was canceled, because other bookings cannot be read', {
      cause: error,
    });
  }
}

/** The `:names` of a booking for consecutive slots: those of all slots, and those of each. */
export function nameSlots([first, ...others]: readonly [SystemSlot, ...SystemSlot[]], minutes = first.slot.minutes) {
  const slots = [first, ...others];
  const { id: _, ...slot } = first.slot;
  const values = {
    ...slot,
    practitionerIds: [...new Set(slots.map(({ slot }) => slot.practitionerId))],
    startDay: slot.start,
    startTime: slot.start,
    minutes,
    end: addMinutes(slot.start, minutes),
    scheduleId: first.scheduleId,
    slotIds: slots.map(({ number }) => number),
    firstSlotId: first.number,
  };
  const perSlot = slots.map(({ number, scheduleId, slot }, position) => ({
    slotId: number,
    position,
    scheduleId,
    slotStart: slot.start,
    slotMinutes: slot.minutes,
    slotPractitionerId: slot.practitionerId,
  }));
  // All bookings claim slots in the same order, which avoids deadlocks.
  return { values, perSlot: perSlot.toSorted((a, b) => (a.slotId < b.slotId ? -1 : 1)) };
}

/** True if the change takes all of these slots, not only the first. */
export function takesAll(hospital: Hospital, [first, ...others]: readonly [SystemSlot, ...SystemSlot[]]): boolean {
  if (others.length === 0 || hospital.uses('appointments.book', 'slotIds', 'slotId', 'slotStart')) return true;
  const isOneRun =
    hospital.uses('appointments.book', 'practitionerIds') ||
    others.every(({ slot }) => slot.practitionerId === first.slot.practitionerId);
  return isOneRun && hospital.uses('appointments.book', 'minutes', 'end');
}

const createSingleFailure = (): Failure =>
  new Failure('unsupported', 'the institution’s system books only one time of one practitioner at once');

/** The id of the active appointment that matches the booking. */
async function findBooked(
  hospital: Hospital,
  patientId: string,
  { start, serviceId, practitionerIds }: Booking,
  call: Call,
): Promise<string | undefined> {
  const appointments = await listAppointments(hospital, { patientId }, call);
  return appointments.find(
    (each) =>
      each.status === 'active' &&
      each.start === start &&
      each.services.some(({ id }) => id === serviceId) &&
      each.practitioners.some(({ id }) => id === practitionerIds[0]),
  )?.id;
}

/** Lists the bookable slots on the day of a booking, free or taken. */
type ListDay = (filter: Partial<SlotFilter>) => Promise<SystemSlot[]>;

async function pick(
  hospital: Hospital,
  { start, minutes = 0, slotId, serviceId, locationId, practitionerIds }: Booking,
  { begins, listDay }: { readonly begins: number; readonly listDay: ListDay },
  call: Call,
): Promise<readonly [SystemSlot, ...SystemSlot[]]> {
  const { schedules, slots } = hospital.file;
  const [practitionerId, ...others] = new Set(practitionerIds);
  if (start.slice(0, 10) > computeLastDay(hospital.zone, hospital.bookingHorizonDays, call))
    throw createPromisedFailure('slot_unknown');
  const own = await listDay({ serviceId, practitionerId, locationId });
  const first = own.find((slot) => slot.begins === begins && (slotId ?? slot.id) === slot.id);
  // A system that lists only free slots cannot distinguish slots that were never offered from taken ones.
  const unlisted = (schedules ?? slots?.fields.free) ? 'slot_unknown' : 'slot_taken';
  if (slotId !== undefined && !first && unlisted === 'slot_unknown') throwOfferMismatch();
  // Without a schedule, the next slot is unknown.
  const isAlone = !schedules && !slots?.fields.scheduleId;
  if (first && minutes > first.slot.minutes && isAlone) throw createSingleFailure();
  const picked = pickSlots(own, { begins, minutes, slotId, unlisted });
  const ofOthers: SystemSlot[] = [];
  for (const id of others) {
    const offered = await listDay({ practitionerId: id });
    ofOthers.push(...pickSlots(offered, { begins, minutes: computeMinutes(picked), unlisted }));
  }
  return [...picked, ...ofOthers];
}
