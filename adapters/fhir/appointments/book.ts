import { type Booking, type Call, Failure, type Instant } from '../../../src/ports/index.ts';
import { createPlanCheck, findApplicant, meetsAgeAndSex } from '../care-services/eligibility.ts';
import { getServiceCode } from '../care-services/port.ts';
import type { FhirContext } from '../context.ts';
import { computeMinutesBetween } from '../datatypes/dates.ts';
import { isActive } from '../insurance/read.ts';
import type { Entry } from '../rest/client.ts';
import { isPartialTransaction } from '../rest/errors.ts';
import { formatToken } from '../rest/url.ts';
import { parseReferenceId, toReference } from '../schema/datatypes.ts';
import type { Draft, Resource } from '../schema/resources.ts';
import { appointmentStatuses, hl7 } from '../schema/terminology.ts';
import { computeIdempotencyKey, findByIdempotencyKey } from '../writes/idempotency.ts';
import { toModality } from './read.ts';
import { type BookableSchedule, findOfferedService, findSlots, isForService, ScheduleIndex } from './schedules.ts';
import { computeBookingHorizon, throwSlotTaken, throwSlotUnknown } from './slots.ts';

type FhirSlot = Resource<'Slot'>;
type FhirService = Resource<'HealthcareService'>;

/** Slots in a row, all free, in one diary. */
interface Run {
  readonly diary: BookableSchedule;
  readonly slots: readonly FhirSlot[];
}

/**
 * Books published slots; the contract is that of `Appointments.book`. The appointment and its busy slots are written in
 * one transaction in which every slot must still have the version that was read: of many bookings one wins.
 */
export async function book(
  context: FhirContext,
  patientId: string,
  booking: Booking,
  call: Call,
): Promise<{ readonly id: string }> {
  const { transactions, zone } = context;
  const moment = zone.toInstant(booking.start, 'start');
  const { service, agenda } = await validateBooking(context, patientId, booking, call);
  if (moment <= call.now) throw new Failure('invalid', 'the time is past', { at: 'start' });
  if (moment >= computeBookingHorizon(context, call)) throwSlotUnknown();
  await transactions.require(call);
  const key = computeIdempotencyKey(call, ['booking', patientId, service.id, moment, ...booking.practitionerIds]);
  try {
    const runs = await findFreeRuns(context, agenda, service, booking, moment, call);
    const entries = buildEntries(context, patientId, booking, service, runs, key, call);
    const [written] = await transactions.send(entries, call);
    const id = written?.type === 'Appointment' ? written.id : await findBooking(key, context, call);
    if (id !== undefined) return { id };
    throw new Failure('outcome_unknown', 'the booking cannot be found');
  } catch (error) {
    if (!(error instanceof Failure) || isPartialTransaction(error)) throw error;
    const isLost = error.kind === 'outcome_unknown';
    const isTaken = error.kind === 'conflict' || error.kind === 'not_found';
    if (!isLost && !isTaken) throw error;
    // The winner may have been this very request, sent before: then it is done already.
    if (isTaken && call.idempotencyKey === undefined) throwSlotTaken();
    const search = findBooking(key, context, call);
    // As long as it cannot be found out whether the slot went to this very request, nobody may be told that it is lost.
    const id = await (isTaken ? search : search.catch(() => undefined));
    if (id !== undefined) return { id };
    return isTaken ? throwSlotTaken() : Promise.reject(error);
  }
}

/** @throws Failure for everything that the booking names and that is not as it must be. */
async function validateBooking(context: FhirContext, patientId: string, booking: Booking, call: Call) {
  const { coverageId, locationId } = booking;
  const who = { patientId, ...(coverageId !== undefined && { coverageId }) };
  const [{ patient, coverage }, schedules] = await Promise.all([
    findApplicant(context, who, call, 'not_found'),
    context.catalogue.schedules.get(call),
  ]);
  const service = await findOfferedService(context, booking.serviceId, call);
  const agenda = new ScheduleIndex(schedules, context);
  for (const id of booking.practitionerIds) await agenda.requirePractitioner(id, 'practitionerIds', call);
  if (locationId !== undefined) await agenda.requireLocation(locationId, call);
  if (coverage) {
    if (!isActive(coverage, call.now, context.zone)) {
      throw new Failure('invalid', 'the coverage is not active', { at: 'coverageId' });
    }
    const pays = await createPlanCheck(coverage, [service], context, call);
    if (!pays(service)) throw new Failure('invalid', 'the service does not accept the plan', { at: 'coverageId' });
  }
  if (patient && !meetsAgeAndSex(patient, service, context, call)) {
    throw new Failure('invalid', 'the service is not for patients of this age or sex', { at: 'serviceId' });
  }
  return { service, agenda };
}

/** For each practitioner the slots to take, all of them free now. */
async function findFreeRuns(
  context: FhirContext,
  agenda: ScheduleIndex,
  service: FhirService,
  booking: Booking,
  moment: Instant,
  call: Call,
): Promise<Run[]> {
  const { practitionerIds, locationId, minutes = 0, slotId } = booking;
  const [first = '', ...others] = practitionerIds;
  const own = agenda
    .findByService(service)
    .filter(({ practitionerId }) => practitionerId === first)
    .filter((diary) => locationId === undefined || diary.locationId === locationId);
  if (own.length === 0) throwSlotUnknown();
  const diaries = [own, ...others.map((id) => agenda.findByPractitioner(id))];
  const until = new Date(Date.parse(moment) + Math.max(minutes, 1) * 60_000).toISOString();
  const slots = await findSlots(context, diaries.flat(), { from: moment, until }, call);
  const offered = slots.filter((slot) => !isInSchedules(own, slot) || isForService(slot, service, context));
  if (
    slotId !== undefined &&
    !offered.some((slot) => slot.id === slotId && isInSchedules(own, slot) && startsAt(slot, moment))
  ) {
    throw new Failure('invalid', 'the offer is not for this time, service and practitioner', { at: 'slotId' });
  }
  return diaries.map((each, index) => findRun(each, offered, moment, minutes, index === 0 ? slotId : undefined));
}

const isInSchedules = (diaries: readonly BookableSchedule[], slot: FhirSlot): boolean =>
  diaries.some(({ schedule }) => schedule.id === parseReferenceId(slot.schedule, 'Schedule'));

const startsAt = ({ start }: FhirSlot, moment: Instant): boolean => Date.parse(start) === Date.parse(moment);

/** The first of the diaries that has what is needed. */
function findRun(
  diaries: readonly BookableSchedule[],
  slots: readonly FhirSlot[],
  moment: Instant,
  minutes: number,
  slotId: string | undefined,
): Run {
  let taken = false;
  for (const diary of diaries) {
    const inDiary = slots.filter((slot) => isInSchedules([diary], slot));
    const starts = inDiary.filter((slot) => startsAt(slot, moment) && (slotId === undefined || slot.id === slotId));
    for (const begin of starts) {
      const run = [begin];
      for (let last = begin; computeMinutes(run) < minutes; run.push(last)) {
        const next = inDiary.filter((slot) => startsAt(slot, last.end));
        const following = next.find(({ status }) => status === 'free') ?? next[0];
        if (!following) break;
        last = following;
      }
      if (computeMinutes(run) < minutes) continue;
      if (run.every(({ status }) => status === 'free')) return { diary, slots: run };
      taken = true;
    }
  }
  return taken ? throwSlotTaken() : throwSlotUnknown();
}

const computeMinutes = (run: readonly FhirSlot[]): number =>
  computeMinutesBetween(run[0]?.start ?? '', run.at(-1)?.end ?? '');

/** The id of the appointment that a write with this key has left, if it has. */
async function findBooking(key: string, { client, codes }: FhirContext, call: Call): Promise<string | undefined> {
  const status = appointmentStatuses.active.filter((each) => each !== 'fulfilled').join(',');
  const query = { identifier: formatToken(codes.sid('booking'), key), status };
  const { matches } = await client.search('Appointment', query, call);
  return findByIdempotencyKey(key, codes.sid('booking'), matches)?.id;
}

function buildEntries(
  context: FhirContext,
  patientId: string,
  booking: Booking,
  service: FhirService,
  runs: readonly Run[],
  key: string,
  call: Call,
): Entry[] {
  const slots = [...new Map(runs.flatMap((run) => run.slots).map((slot) => [slot.id, slot])).values()];
  const create = toFhirAppointment(context, patientId, booking, service, runs, key, call);
  return [{ create }, ...slots.map((slot) => ({ update: { ...slot, status: 'busy' } }))];
}

function toFhirAppointment(
  { codes, settings }: FhirContext,
  patientId: string,
  booking: Booking,
  service: FhirService,
  runs: readonly Run[],
  key: string,
  call: Call,
): Draft<'Appointment'> {
  const { practitionerIds, coverageId, copay, authorization, minutes } = booking;
  const [own] = runs;
  const slots = own?.slots ?? [];
  const [first] = slots;
  const modality = toModality(first?.serviceCategory) ?? own?.diary.modality;
  const system = codes.system('hcs');
  const code = getServiceCode(service, system);
  const money = { value: copay, currency: settings.currency };
  const extension = [
    ...(copay === undefined
      ? []
      : [{ url: codes.extension('appointment-payment'), extension: [{ url: 'copay', valueMoney: money }] }]),
    ...(authorization === undefined
      ? []
      : [{ url: codes.extension('appointment-authorization'), valueBoolean: authorization }]),
  ];
  const participant = (type: string, id: string, required: string) => ({
    actor: toReference(type, id),
    required,
    status: 'accepted',
  });
  const start = first?.start ?? '';
  const length = minutes ?? computeMinutes(slots);
  return {
    resourceType: 'Appointment',
    ...(extension.length > 0 && { extension }),
    identifier: [{ system: codes.sid('booking'), value: key }],
    status: 'booked',
    serviceCategory: [{ coding: [{ system: hl7.actCode, code: modality === 'virtual' ? 'VR' : 'AMB' }] }],
    serviceType: [
      {
        extension: [{ url: hl7.serviceReference, valueReference: toReference('HealthcareService', service.id) }],
        ...(code !== undefined && { coding: [{ system, code }] }),
      },
    ],
    start,
    end: new Date(Date.parse(start) + length * 60_000).toISOString(),
    minutesDuration: length,
    created: call.now,
    slot: [...new Set(runs.flatMap((run) => run.slots.map(({ id }) => id)))].map((id) => toReference('Slot', id)),
    ...(coverageId !== undefined && { supportingInformation: [toReference('Coverage', coverageId)] }),
    participant: [
      participant('Patient', patientId, 'required'),
      ...practitionerIds.map((id) => participant('Practitioner', id, 'required')),
      ...(own?.diary.locationId ? [participant('Location', own.diary.locationId, 'required')] : []),
      participant('HealthcareService', service.id, 'information-only'),
    ],
  };
}
