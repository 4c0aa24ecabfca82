import { type Booking, type Call, Failure, type Instant } from '../../src/ports/index.ts';
import { Agenda, type Diary, isSlotOf, offeredService, slotsIn } from './agenda.ts';
import { modalityOf } from './appointment-record.ts';
import type { Backend } from './backend.ts';
import { codeOf } from './care-services.ts';
import type { Entry } from './client.ts';
import { appointmentStatuses, hl7 } from './codes.ts';
import { isActive } from './coverage.ts';
import { idOf, referTo } from './elements.ts';
import { applicant, isFor, planCheck } from './eligibility.ts';
import { writeKey, writtenWith } from './keys.ts';
import { minutesBetween } from './moments.ts';
import { isHalfDone } from './probe.ts';
import type { Draft, Resource } from './resources.ts';
import { horizonOf, slotTaken, slotUnknown } from './slots.ts';
import { token } from './url.ts';

type FhirSlot = Resource<'Slot'>;
type FhirService = Resource<'HealthcareService'>;

/** Slots in a row, all free, in one diary. */
interface Run {
  readonly diary: Diary;
  readonly slots: readonly FhirSlot[];
}

/**
 * Books published slots; the contract is that of `Appointments.book`. The appointment and its busy slots are written in
 * one transaction in which every slot must still have the version that was read: of many bookings one wins.
 */
export async function book(
  backend: Backend,
  patientId: string,
  booking: Booking,
  call: Call,
): Promise<{ readonly id: string }> {
  const { transactions, zone } = backend;
  const moment = zone.momentOf(booking.start, 'start');
  const { service, agenda } = await checked(backend, patientId, booking, call);
  if (moment <= call.now) throw new Failure('invalid', 'the time is past', { at: 'start' });
  if (moment >= horizonOf(backend, call)) slotUnknown();
  await transactions.require(call);
  const key = writeKey(call, ['booking', patientId, service.id, moment, ...booking.practitionerIds]);
  try {
    const runs = await freeRuns(backend, agenda, service, booking, moment, call);
    const entries = entriesOf(backend, patientId, booking, service, runs, key, call);
    const [written] = await transactions.send(entries, call);
    const id = written?.type === 'Appointment' ? written.id : await bookedWith(key, backend, call);
    if (id !== undefined) return { id };
    throw new Failure('outcome_unknown', 'the booking cannot be found');
  } catch (error) {
    if (!(error instanceof Failure) || isHalfDone(error)) throw error;
    const isLost = error.kind === 'outcome_unknown';
    const isTaken = error.kind === 'conflict' || error.kind === 'not_found';
    if (!isLost && !isTaken) throw error;
    // The winner may have been this very request, sent before: then it is done already.
    if (isTaken && call.idempotencyKey === undefined) slotTaken();
    const search = bookedWith(key, backend, call);
    // As long as it cannot be found out whether the slot went to this very request, nobody may be told that it is lost.
    const id = await (isTaken ? search : search.catch(() => undefined));
    if (id !== undefined) return { id };
    return isTaken ? slotTaken() : Promise.reject(error);
  }
}

/** @throws Failure for everything that the booking names and that is not as it must be. */
async function checked(backend: Backend, patientId: string, booking: Booking, call: Call) {
  const { coverageId, locationId } = booking;
  const who = { patientId, ...(coverageId !== undefined && { coverageId }) };
  const [{ patient, coverage }, schedules] = await Promise.all([
    applicant(backend, who, call, 'not_found'),
    backend.catalogue.schedules.get(call),
  ]);
  const service = await offeredService(backend, booking.serviceId, call);
  const agenda = new Agenda(schedules, backend);
  for (const id of booking.practitionerIds) await agenda.expectPractitioner(id, 'practitionerIds', call);
  if (locationId !== undefined) await agenda.expectLocation(locationId, call);
  if (coverage) {
    if (!isActive(coverage, call.now, backend.zone)) {
      throw new Failure('invalid', 'the coverage is not active', { at: 'coverageId' });
    }
    const pays = await planCheck(coverage, [service], backend, call);
    if (!pays(service)) throw new Failure('invalid', 'the service does not accept the plan', { at: 'coverageId' });
  }
  if (patient && !isFor(patient, service, backend, call)) {
    throw new Failure('invalid', 'the service is not for patients of this age or sex', { at: 'serviceId' });
  }
  return { service, agenda };
}

/** For each practitioner the slots to take, all of them free now. */
async function freeRuns(
  backend: Backend,
  agenda: Agenda,
  service: FhirService,
  booking: Booking,
  moment: Instant,
  call: Call,
): Promise<Run[]> {
  const { practitionerIds, locationId, minutes = 0, slotId } = booking;
  const [first = '', ...others] = practitionerIds;
  const own = agenda
    .of(service)
    .filter(({ practitionerId }) => practitionerId === first)
    .filter((diary) => locationId === undefined || diary.locationId === locationId);
  if (own.length === 0) slotUnknown();
  const diaries = [own, ...others.map((id) => agenda.ofPractitioner(id))];
  const until = new Date(Date.parse(moment) + Math.max(minutes, 1) * 60_000).toISOString();
  const slots = await slotsIn(backend, diaries.flat(), { from: moment, until }, call);
  const offered = slots.filter((slot) => !isOf(own, slot) || isSlotOf(slot, service, backend));
  if (
    slotId !== undefined &&
    !offered.some((slot) => slot.id === slotId && isOf(own, slot) && startsAt(slot, moment))
  ) {
    throw new Failure('invalid', 'the offer is not for this time, service and practitioner', { at: 'slotId' });
  }
  return diaries.map((each, index) => runIn(each, offered, moment, minutes, index === 0 ? slotId : undefined));
}

const isOf = (diaries: readonly Diary[], slot: FhirSlot): boolean =>
  diaries.some(({ schedule }) => schedule.id === idOf(slot.schedule, 'Schedule'));

const startsAt = ({ start }: FhirSlot, moment: Instant): boolean => Date.parse(start) === Date.parse(moment);

/** The first of the diaries that has what is needed. */
function runIn(
  diaries: readonly Diary[],
  slots: readonly FhirSlot[],
  moment: Instant,
  minutes: number,
  slotId: string | undefined,
): Run {
  let taken = false;
  for (const diary of diaries) {
    const inDiary = slots.filter((slot) => isOf([diary], slot));
    const starts = inDiary.filter((slot) => startsAt(slot, moment) && (slotId === undefined || slot.id === slotId));
    for (const begin of starts) {
      const run = [begin];
      for (let last = begin; covered(run) < minutes; run.push(last)) {
        const next = inDiary.filter((slot) => startsAt(slot, last.end));
        const following = next.find(({ status }) => status === 'free') ?? next[0];
        if (!following) break;
        last = following;
      }
      if (covered(run) < minutes) continue;
      if (run.every(({ status }) => status === 'free')) return { diary, slots: run };
      taken = true;
    }
  }
  return taken ? slotTaken() : slotUnknown();
}

const covered = (run: readonly FhirSlot[]): number => minutesBetween(run[0]?.start ?? '', run.at(-1)?.end ?? '');

/** The id of the appointment that a write with this key has left, if it has. */
async function bookedWith(key: string, { client, codes }: Backend, call: Call): Promise<string | undefined> {
  const status = appointmentStatuses.active.filter((each) => each !== 'fulfilled').join(',');
  const query = { identifier: token(codes.sid('booking'), key), status };
  const { matches } = await client.search('Appointment', query, call);
  return writtenWith(key, codes.sid('booking'), matches)?.id;
}

function entriesOf(
  backend: Backend,
  patientId: string,
  booking: Booking,
  service: FhirService,
  runs: readonly Run[],
  key: string,
  call: Call,
): Entry[] {
  const slots = [...new Map(runs.flatMap((run) => run.slots).map((slot) => [slot.id, slot])).values()];
  const create = fromBooking(backend, patientId, booking, service, runs, key, call);
  return [{ create }, ...slots.map((slot) => ({ update: { ...slot, status: 'busy' } }))];
}

function fromBooking(
  { codes, settings }: Backend,
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
  const modality = modalityOf(first?.serviceCategory) ?? own?.diary.modality;
  const system = codes.system('hcs');
  const code = codeOf(service, system);
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
    actor: referTo(type, id),
    required,
    status: 'accepted',
  });
  const start = first?.start ?? '';
  const length = minutes ?? covered(slots);
  return {
    resourceType: 'Appointment',
    ...(extension.length > 0 && { extension }),
    identifier: [{ system: codes.sid('booking'), value: key }],
    status: 'booked',
    serviceCategory: [{ coding: [{ system: hl7.actCode, code: modality === 'virtual' ? 'VR' : 'AMB' }] }],
    serviceType: [
      {
        extension: [{ url: hl7.serviceReference, valueReference: referTo('HealthcareService', service.id) }],
        ...(code !== undefined && { coding: [{ system, code }] }),
      },
    ],
    start,
    end: new Date(Date.parse(start) + length * 60_000).toISOString(),
    minutesDuration: length,
    created: call.now,
    slot: [...new Set(runs.flatMap((run) => run.slots.map(({ id }) => id)))].map((id) => referTo('Slot', id)),
    ...(coverageId !== undefined && { supportingInformation: [referTo('Coverage', coverageId)] }),
    participant: [
      participant('Patient', patientId, 'required'),
      ...practitionerIds.map((id) => participant('Practitioner', id, 'required')),
      ...(own?.diary.locationId ? [participant('Location', own.diary.locationId, 'required')] : []),
      participant('HealthcareService', service.id, 'information-only'),
    ],
  };
}
