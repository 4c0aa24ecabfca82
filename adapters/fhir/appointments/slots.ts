import type { Call, Slot, SlotQuery } from '../../../src/ports/index.ts';
import { addDays } from '../../zone.ts';
import { createPaymentCheck, findApplicant, meetsAgeAndSex } from '../care-services/eligibility.ts';
import type { FhirContext } from '../context.ts';
import { computeMinutesBetween } from '../datatypes/dates.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import { toModality } from './read.ts';
import { computeBookingHorizon, findOfferedService, findSlots, isForService, ScheduleIndex } from './schedules.ts';

/** The free slots that the institution has published; the contract is that of `Appointments.slots`. */
export async function findFreeSlots(context: FhirContext, query: SlotQuery, call: Call): Promise<readonly Slot[]> {
  const { catalogue, zone } = context;
  const { practitionerId, locationId, modality } = query;
  const service = await findOfferedService(context, query.serviceId, call);
  const index = new ScheduleIndex(await catalogue.schedules.get(call), context);
  if (practitionerId !== undefined) await index.require('Practitioner', practitionerId, 'practitionerId', call);
  if (locationId !== undefined) await index.require('Location', locationId, 'locationId', call);
  const { patient, coverage } = await findApplicant(context, query, call);
  if (patient && !meetsAgeAndSex(patient, service, context, call)) return [];
  if (coverage) {
    const isPaid = await createPaymentCheck(coverage, [service], context, call);
    if (!isPaid(service)) return [];
  }
  const schedules = index.findByService(service, practitionerId, locationId);
  const from = pickLater(call.now, query.from && zone.toStartOfDay(query.from));
  const end = computeBookingHorizon(context, call);
  const until = pickEarlier(end, query.to && zone.toStartOfDay(addDays(query.to, 1)));
  if (schedules.length === 0 || from >= until) return [];
  const slots = await findSlots(context, schedules, { status: 'free', from, until }, call);
  return slots.flatMap((slot) => {
    const schedule = schedules.find(({ id }) => id === parseReferenceId(slot.schedule, 'Schedule'));
    const isPast = Date.parse(slot.start) <= Date.parse(call.now);
    if (!schedule || isPast || !isForService(slot, service, context)) return [];
    const kind = toModality(slot.serviceCategory) ?? schedule.modality;
    if (modality !== undefined && kind !== modality) return [];
    return {
      id: slot.id,
      start: zone.toLocalTime(slot.start),
      minutes: computeMinutesBetween(slot.start, slot.end),
      serviceId: service.id,
      practitionerId: schedule.practitionerId,
      locationId: schedule.locationId,
      modality: kind,
    };
  });
}

const pickLater = (a: string, b: string | undefined): string => (b !== undefined && b > a ? b : a);
const pickEarlier = (a: string, b: string | undefined): string => (b !== undefined && b < a ? b : a);
