import { type Booking, type Call, Failure, type Instant } from '../../../src/ports/index.ts';
import { createPaymentCheck, meetsAgeAndSex, readApplicant, requireCoverage } from '../care-services/eligibility.ts';
import type { FhirContext } from '../context.ts';
import { isActive } from '../insurance/read.ts';
import { throwPatientNotFound } from '../patients/compartment.ts';
import { formatToken } from '../rest/url.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { confirmWrite } from '../writes/confirm-write.ts';
import { computeWriteKey, findByWriteKey, type WriteKey } from '../writes/idempotency.ts';
import {
  type BookableSchedule,
  computeBookingHorizon,
  findOfferedService,
  findSlots,
  isForService,
  isFree,
  ScheduleIndex,
  throwSlotTaken,
  throwSlotUnknown,
} from './schedules.ts';
import { computeMinutes, type SlotRun, toBookingEntries } from './write.ts';

type FhirSlot = Resource<'Slot'>;
type FhirService = Resource<'HealthcareService'>;

/**
 * Books published slots; the contract is that of `Appointments.book`. The appointment and its busy slots are written in
 * one transaction in which every slot must still have the version that was read, so that one of many bookings wins.
 */
export async function bookSlots(
  context: FhirContext,
  patientId: string,
  booking: Booking,
  call: Call,
): Promise<{ readonly id: string }> {
  const { transactions, zone } = context;
  const key = computeWriteKey(call, 'booking', [patientId, booking]);
  const findEarlier = async () => (call.idempotencyKey === undefined ? undefined : findBooking(key, context, call));
  const earlier = await findEarlier();
  if (earlier) return earlier;
  const { service, index } = await validateBooking(context, patientId, booking, call);
  const start = zone.toInstant(booking.start, 'start');
  if (start <= call.now) throw new Failure('invalid', 'the time is in the past', { at: 'start' });
  await transactions.require(call);
  const book = async () => {
    const runs = await findFreeRuns(context, index, service, booking, start, call);
    const entries = toBookingEntries({ patientId, booking, service, runs, key }, context, call);
    const [written] = await transactions.send(entries, call);
    if (written?.type === 'Appointment' && written.id !== undefined) return { id: written.id };
    throw new Failure('outcome_unknown', 'the answer does not name the appointment');
  };
  try {
    return await confirmWrite(book, (lastLook) => findBooking(key, context, lastLook), call);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    // The same request, sent twice at once, may have taken the slot.
    return (await findEarlier()) ?? throwSlotTaken();
  }
}

/** @throws Failure for whatever the booking names that does not exist or cannot be booked, in the order of `Appointments.book`. */
async function validateBooking(context: FhirContext, patientId: string, booking: Booking, call: Call) {
  const { coverageId, locationId } = booking;
  const who = { patientId, ...(coverageId !== undefined && { coverageId }) };
  const [applicant, schedules] = await Promise.all([
    readApplicant(context, who, call),
    context.catalogue.schedules.get(call),
  ]);
  const { patient } = applicant;
  if (!patient) throwPatientNotFound();
  const service = await findOfferedService(context, booking.serviceId, call);
  const index = new ScheduleIndex(schedules, context);
  for (const id of booking.practitionerIds) await index.require('Practitioner', id, 'practitionerIds', call);
  if (locationId !== undefined) await index.require('Location', locationId, 'locationId', call);
  const coverage = requireCoverage(applicant, who);
  if (coverage) {
    if (!isActive(coverage, call.now, context.zone)) {
      throw new Failure('invalid', 'the coverage is inactive', { at: 'coverageId' });
    }
    const isPaid = await createPaymentCheck(coverage, [service], context, call);
    if (!isPaid(service))
      throw new Failure('invalid', 'the service does not accept the plan of this coverage', { at: 'coverageId' });
  }
  if (!meetsAgeAndSex(patient, service, context, call)) {
    throw new Failure('invalid', 'the service is not for patients of this age or sex', { at: 'serviceId' });
  }
  return { service, index };
}

/** Finds for each practitioner the slots to take, all of them free now. */
async function findFreeRuns(
  context: FhirContext,
  index: ScheduleIndex,
  service: FhirService,
  { practitionerIds, locationId, minutes = 0, slotId }: Booking,
  start: Instant,
  call: Call,
): Promise<SlotRun[]> {
  const [first = '', ...others] = practitionerIds;
  const find = (schedules: readonly BookableSchedule[], length: number) => {
    const until = new Date(Date.parse(start) + Math.max(length, 1) * 60_000).toISOString();
    return findSlots(context, schedules, { from: start, until }, call);
  };
  const own = index.findByService(service, first, locationId);
  const offered = (await find(own, minutes)).filter((slot) => isForService(slot, service, context));
  if (slotId !== undefined && !offered.some((slot) => slot.id === slotId && startsAt(slot, start))) {
    throw new Failure('invalid', 'the offer is not for this time, service, practitioner and location', {
      at: 'slotId',
    });
  }
  if (start >= computeBookingHorizon(context, call)) throwSlotUnknown();
  const run = findRun(own, offered, start, minutes, slotId);
  const length = computeMinutes(run.slots);
  const ofOthers = others.map((id) => index.findByPractitioner(id));
  const slots = await find(ofOthers.flat(), length);
  return [run, ...ofOthers.map((each) => findRun(each, slots, start, length))];
}

const isOfSchedules = (schedules: readonly BookableSchedule[], slot: FhirSlot): boolean =>
  schedules.some(({ id }) => id === parseReferenceId(slot.schedule, 'Schedule'));

const startsAt = ({ start }: FhirSlot, moment: Instant): boolean => Date.parse(start) === Date.parse(moment);

/** Slots of odd length, such as one until 10:19:59, follow each other all the same. */
const toMinute = (moment: Instant): number => Math.round(Date.parse(moment) / 60_000);

/** Finds the slots in the first of the schedules that is free for the whole length. */
function findRun(
  schedules: readonly BookableSchedule[],
  slots: readonly FhirSlot[],
  start: Instant,
  minutes: number,
  slotId?: string,
): SlotRun {
  let taken = false;
  for (const schedule of schedules) {
    const own = slots.filter((slot) => isOfSchedules([schedule], slot));
    for (const first of own.filter((slot) => startsAt(slot, start) && (slotId === undefined || slot.id === slotId))) {
      const run = [first];
      for (let last = first; computeMinutes(run) < minutes; run.push(last)) {
        const next = own.filter((slot) => toMinute(slot.start) === toMinute(last.end));
        const following = next.find(isFree) ?? next[0];
        if (!following) break;
        last = following;
      }
      if (computeMinutes(run) < minutes) continue;
      if (run.every(isFree)) return { schedule, slots: run };
      taken = true;
    }
  }
  return taken ? throwSlotTaken() : throwSlotUnknown();
}

/** The appointment that a write with this key has left, whatever became of it; undefined when there is none. */
async function findBooking(key: WriteKey, { client, codes }: FhirContext, call: Call) {
  const query = { identifier: formatToken(codes.sid('booking'), key.value) };
  const { matches } = await client.search('Appointment', query, call);
  const found = findByWriteKey(key, codes.sid('booking'), matches);
  return found && { id: found.id };
}
