import { type Call, Failure, type Slot, type SlotQuery } from '../../../src/ports/index.ts';
import { addDays } from '../../zone.ts';
import { createPlanCheck, findApplicant, meetsAgeAndSex } from '../care-services/eligibility.ts';
import type { FhirContext } from '../context.ts';
import { computeMinutesBetween } from '../datatypes/dates.ts';
import { isActive } from '../insurance/read.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import { toModality } from './read.ts';
import { findOfferedService, findSlots, isForService, ScheduleIndex } from './schedules.ts';

/** Free times from published slots; the contract is that of `Appointments.slots`. */
export async function findFreeSlots(context: FhirContext, query: SlotQuery, call: Call): Promise<readonly Slot[]> {
  const { catalogue, zone } = context;
  const { practitionerId, locationId, modality } = query;
  const [service, found, { patient, coverage }] = await Promise.all([
    findOfferedService(context, query.serviceId, call),
    catalogue.schedules.get(call),
    findApplicant(context, query, call),
  ]);
  const agenda = new ScheduleIndex(found, context);
  if (practitionerId !== undefined) await agenda.requirePractitioner(practitionerId, 'practitionerId', call);
  if (locationId !== undefined) await agenda.requireLocation(locationId, call);
  if (patient && !meetsAgeAndSex(patient, service, context, call)) return [];
  if (coverage) {
    const pays = await createPlanCheck(coverage, [service], context, call);
    if (!isActive(coverage, call.now, zone) || !pays(service)) return [];
  }
  const diaries = agenda
    .findByService(service)
    .filter((diary) => practitionerId === undefined || diary.practitionerId === practitionerId)
    .filter((diary) => locationId === undefined || diary.locationId === locationId);
  const from = pickLater(call.now, query.from && zone.toStartOfDay(query.from));
  const end = computeBookingHorizon(context, call);
  const until = pickEarlier(end, query.to && zone.toStartOfDay(addDays(query.to, 1)));
  if (diaries.length === 0 || from >= until) return [];
  const slots = await findSlots(context, diaries, { status: 'free', from, until }, call);
  return slots.flatMap((slot) => {
    const diary = diaries.find(({ schedule }) => schedule.id === parseReferenceId(slot.schedule, 'Schedule'));
    const isPast = Date.parse(slot.start) <= Date.parse(call.now);
    if (!diary || isPast || !isForService(slot, service, context)) return [];
    const kind = toModality(slot.serviceCategory) ?? diary.modality;
    if (modality !== undefined && kind !== modality) return [];
    return {
      id: slot.id,
      start: zone.toLocalTime(slot.start),
      minutes: computeMinutesBetween(slot.start, slot.end),
      serviceId: service.id,
      practitionerId: diary.practitionerId,
      locationId: diary.locationId,
      modality: kind,
    };
  });
}

/** The moment from which on nothing can be booked yet. */
export const computeBookingHorizon = ({ zone, horizonDays }: FhirContext, { now }: Call): string =>
  zone.toStartOfDay(addDays(zone.toLocalDay(now), horizonDays + 1));

const pickLater = (a: string, b: string | undefined): string => (b !== undefined && b > a ? b : a);
const pickEarlier = (a: string, b: string | undefined): string => (b !== undefined && b < a ? b : a);

/** @throws Failure invalid at `start`: nobody ever offered this time. */
export function throwSlotUnknown(): never {
  throw new Failure('invalid', 'nobody offers this time', { code: 'slot_unknown', at: 'start' });
}

/** @throws Failure conflict: somebody was faster. */
export function throwSlotTaken(): never {
  throw new Failure('conflict', 'the slot is no longer free', { code: 'slot_taken' });
}
