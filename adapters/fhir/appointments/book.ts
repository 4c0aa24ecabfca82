import type { AppointmentParticipant } from '@medplum/fhirtypes';
import { type Booking, type Call, Failure, type Instant } from '../../../src/ports/index.ts';
import { formatBound } from '../../../src/toolkit/zone.ts';
import { findHolder } from '../../common/bookable.ts';
import {
  checkBooking,
  computeMinutes,
  type OfferedSlot,
  pickKept,
  pickSlots,
  throwNotThere,
  throwOfferMismatch,
} from '../../common/booking.ts';
import { createPromisedFailure } from '../../common/failures.ts';
import { readApplicant, readPayer } from '../care-services/eligibility.ts';
import { getServiceCode, readLimits } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { formatToken } from '../rest/query.ts';
import type { TransactionEntry } from '../rest/transaction-entries.ts';
import { keepDecimals } from '../rest/transport.ts';
import { parseReferenceId, toReference } from '../schema/datatypes.ts';
import { computeMinutesBetween, toMinute } from '../schema/read.ts';
import type { FhirService, FhirSlot, NewResource, Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import { computeWriteKey, confirmWrite, findByWriteKey, type ResourceKey, toKeyIdentifiers } from '../writes.ts';
import { toModality } from './read.ts';
import {
  type BookableSchedule,
  findAvailableService,
  listIds,
  readScheduleIndex,
  type ScheduleIndex,
} from './schedules.ts';
import { computeBookingHorizon, readSlotFacts } from './slot-facts.ts';
import { findSlots, type SlotSearch } from './slots.ts';

/**
 * Books published slots, as `Appointments.book` specifies. One transaction writes the appointment and its busy slots.
 * Each slot must still have the version that was read, so exactly one of parallel bookings succeeds.
 */
export async function bookSlots(
  context: FhirContext,
  patientId: string,
  booking: Booking,
  call: Call,
): Promise<{ readonly id: string }> {
  const { transactions } = context;
  const key = await computeWriteKey(call, 'booking', [patientId, booking]);
  const findEarlier = async () => (call.idempotencyKey === undefined ? undefined : findBooking(key, context, call));
  const earlier = await findEarlier();
  if (earlier) return earlier;
  const {
    service: offered,
    index,
    start,
    patientId: survivorId,
  } = await validateBooking(context, patientId, booking, call);
  const service = offered.resource;
  await transactions.requireAtomic(call);
  const book = async () => {
    const runs = await findFreeRuns(context, { index, service, start }, booking, call);
    const slots = new Map(runs.flat().map(({ slot }) => [slot.id, slot]));
    const found = { patientId: survivorId, booking, service, run: runs[0], slotIds: [...slots.keys()], key };
    const busy = [...slots.values()].map((slot): TransactionEntry => ({ resource: slot, changes: { status: 'busy' } }));
    const entries = [{ create: toFhirAppointment(found, context, call) }, ...busy];
    const [written] = await transactions.send(entries, call);
    if (written?.type === 'Appointment' && written.id !== undefined) return { id: written.id };
    throw new Failure('outcome_unknown', 'the answer does not name the appointment');
  };
  try {
    return await confirmWrite(book, (lastLook) => findBooking(key, context, lastLook), call);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    // A parallel request with the same key may have taken the slot.
    const same = await findEarlier();
    if (!same) throw createPromisedFailure('slot_taken');
    return same;
  }
}

/** Returns the service, the start, the schedules, and the id of the surviving record. Throws as `checkBooking` does. */
async function validateBooking(context: FhirContext, patientId: string, booking: Booking, call: Call) {
  const { serviceId, practitionerIds, coverageId, locationId } = booking;
  const [resource, index] = await Promise.all([
    findAvailableService(context, serviceId, call),
    readScheduleIndex(context, call),
  ]);
  const service = resource && { resource, ...readLimits(resource, context) };
  const who = { patientId, ...(coverageId !== undefined && { coverageId }) };
  const applicant = await readApplicant(context, who, call);
  const coverage = await readPayer(applicant, service ? [service] : [], context, call);
  let hasPractitioners = true;
  for (const id of practitionerIds) hasPractitioners &&= await index.exists('Practitioner', id, call);
  const hasLocation = await index.exists('Location', locationId, call);
  const found = { ...applicant, coverage, service, hasPractitioners, hasLocation };
  return {
    index,
    patientId: applicant.survivorId,
    ...checkBooking(patientId, booking, found, { zone: context.zone, now: call.now }),
  };
}

/** The records of a validated booking. */
interface ValidBooking {
  readonly index: ScheduleIndex;
  readonly service: FhirService;
  readonly start: Instant;
}

async function findFreeRuns(
  context: FhirContext,
  { index, service, start }: ValidBooking,
  { practitionerIds, locationId, minutes = 0, slotId }: Booking,
  call: Call,
): Promise<readonly [SlotRun, ...SlotRun[]]> {
  const [first = '', ...others] = practitionerIds;
  const begins = Date.parse(start);
  const find = async (
    schedules: readonly BookableSchedule[],
    length: number,
    of: Pick<SlotSearch, 'serviceCodes'> = {},
  ) => {
    const bounds = { from: formatBound(begins), until: formatBound(begins + Math.max(length, 1) * 60_000) };
    const slots = await findSlots(context, listIds(schedules), { ...bounds, ...of }, keepDecimals(call));
    return schedules.flatMap((schedule) => toOffered(context, schedule, slots));
  };
  const own = index.findByService(service, first, locationId);
  const isTooFar = begins >= Date.parse(computeBookingHorizon(context, call));
  if (isTooFar && slotId === undefined) throw createPromisedFailure('slot_unknown');
  const serviceCodes = [getServiceCode(service, context.codes.system('hcs')) ?? ''];
  const offered = await find(own, minutes, { serviceCodes });
  if (slotId !== undefined && !offered.some((each) => each.id === slotId && each.begins === begins)) {
    throwOfferMismatch();
  }
  if (isTooFar) throw createPromisedFailure('slot_unknown');
  if (own.length === 0 && index.findByService(service, first).length > 0) throwNotThere();
  const run = pickSlots(offered, { begins, minutes, slotId });
  const length = computeMinutes(run);
  const ofOthers = others.map((id) => index.findByPractitioner(id));
  const slots = await find(ofOthers.flat(), length);
  const pick = (schedules: readonly BookableSchedule[]) => {
    const own = slots.filter(({ schedule }) => schedules.includes(schedule));
    return pickSlots(own, { begins, minutes: length });
  };
  return [run, ...ofOthers.map(pick)];
}

const toOffered = (context: FhirContext, schedule: BookableSchedule, slots: readonly FhirSlot[]): ScheduledSlot[] =>
  slots
    .filter((slot) => parseReferenceId(slot.schedule, 'Schedule') === schedule.id)
    .filter(({ start }) => schedule.isStaffed(start, start))
    .map((slot) => {
      const begins = toMinute(slot.start);
      const ends = begins + computeMinutesBetween(slot.start, slot.end) * 60_000;
      const isFree = findHolder(readSlotFacts(slot, context)) === undefined;
      return { id: slot.id, scheduleId: schedule.id, begins, ends, isFree, schedule, slot };
    });

/** The appointment of an earlier write with this key. Undefined if there is none. */
async function findBooking(key: ResourceKey, { client, codes }: FhirContext, call: Call) {
  const query = { identifier: formatToken(codes.sid('booking'), key.value) };
  const { matches } = await client.search('Appointment', query, call);
  const found = findByWriteKey(key, codes.sid('booking'), matches);
  return found && { id: found.id };
}

interface ScheduledSlot extends OfferedSlot {
  readonly schedule: BookableSchedule;
  readonly slot: Resource<'Slot'>;
}

/** Consecutive free slots of one schedule. */
type SlotRun = readonly [ScheduledSlot, ...ScheduledSlot[]];

/** A validated booking with its slots. */
interface FoundBooking {
  readonly patientId: string;
  readonly booking: Booking;
  readonly service: Resource<'HealthcareService'>;
  /** Slots in a schedule of the service. */
  readonly run: SlotRun;
  readonly slotIds: readonly string[];
  /** The key that finds the appointment again after a lost answer. */
  readonly key: ResourceKey;
}

function toFhirAppointment(
  { patientId, booking, service, run, slotIds, key }: FoundBooking,
  { codes, settings }: FhirContext,
  call: Call,
): NewResource<'Appointment'> {
  const { coverageId, copay, authorization, ...lost } = pickKept(booking);
  lost satisfies Record<string, never>;
  const [{ slot, schedule, begins }] = run;
  const modality = toModality(slot.serviceCategory) ?? schedule.modality;
  const system = codes.system('hcs');
  const code = getServiceCode(service, system);
  const money = copay !== undefined && { value: copay, currency: settings.currency };
  const extension = [
    ...(money
      ? [{ url: codes.extension('appointment-payment'), extension: [{ url: 'copay', valueMoney: money }] }]
      : []),
    ...(authorization === undefined
      ? []
      : [{ url: codes.extension('appointment-authorization'), valueBoolean: authorization }]),
  ];
  const minutes = booking.minutes ?? computeMinutes(run);
  return {
    resourceType: 'Appointment',
    ...(extension.length > 0 && { extension }),
    identifier: toKeyIdentifiers(key, codes.sid('booking')),
    status: 'booked',
    serviceCategory: [{ coding: [{ system: hl7.actCode, code: modality === 'virtual' ? 'VR' : 'AMB' }] }],
    serviceType: [
      {
        extension: [{ url: hl7.serviceReference, valueReference: toReference('HealthcareService', service.id) }],
        ...(code !== undefined && { coding: [{ system, code }] }),
      },
    ],
    start: new Date(begins).toISOString(),
    end: new Date(begins + minutes * 60_000).toISOString(),
    minutesDuration: minutes,
    created: call.now,
    slot: slotIds.map((id) => toReference('Slot', id)),
    ...(coverageId !== undefined && { supportingInformation: [toReference('Coverage', coverageId)] }),
    participant: [
      toParticipant('Patient', patientId),
      ...booking.practitionerIds.map((id) => toParticipant('Practitioner', id)),
      ...(schedule.locationId ? [toParticipant('Location', schedule.locationId)] : []),
      { ...toParticipant('HealthcareService', service.id), required: 'information-only' },
    ],
  };
}

const toParticipant = (type: string, id: string): AppointmentParticipant => ({
  actor: toReference(type, id),
  required: 'required',
  status: 'accepted',
});
