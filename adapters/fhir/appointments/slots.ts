import type { Call, Page, Slot, SlotQuery } from '../../../src/ports/index.ts';
import { takePage } from '../../../src/ports/take-page.ts';
import { isEligible } from '../../eligibility.ts';
import { requireFound } from '../../require-found.ts';
import { findApplicant, readPayer } from '../care-services/eligibility.ts';
import { readLimits } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { computeMinutesBetween } from '../datatypes/dates.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import { toModality } from './read.ts';
import { computeBookingHorizon, findOfferedService, findSlots, isForService, ScheduleIndex } from './schedules.ts';

/** The free slots that the institution has published; the contract is that of `Appointments.slots`. */
export async function findFreeSlots(context: FhirContext, query: SlotQuery, call: Call): Promise<Page<Slot>> {
  const { zone } = context;
  const { practitionerId, locationId, modality } = query;
  const service = requireFound(await findOfferedService(context, query.serviceId, call), 'service', 'serviceId');
  const index = await ScheduleIndex.read(context, call);
  requireFound(await index.exists('Practitioner', practitionerId, call), 'practitioner', 'practitionerId');
  requireFound(await index.exists('Location', locationId, call), 'location', 'locationId');
  const limits = readLimits(service, context);
  const applicant = await findApplicant(context, query, call);
  const coverage = await readPayer(applicant, [limits], context, call);
  if (!isEligible(limits, { ...applicant, coverage }, zone.toLocalDay(call.now))) return takePage([], query.page);
  const schedules = index.findByService(service, practitionerId, locationId);
  const from = pickLater(call.now, query.from && zone.toStartOfDay(query.from));
  const end = computeBookingHorizon(context, call);
  const until = pickEarlier(end, query.to && zone.toEndOfDay(query.to));
  if (schedules.length === 0 || from >= until) return takePage([], query.page);
  const scheduleOf = new Map(schedules.map((schedule) => [schedule.id, schedule]));
  const slots = await findSlots(context, schedules, { status: 'free', from, until }, call);
  const found = slots.flatMap((slot) => {
    const schedule = scheduleOf.get(parseReferenceId(slot.schedule, 'Schedule') ?? '');
    const isPast = Date.parse(slot.start) <= Date.parse(call.now);
    if (!schedule || isPast || !isForService(slot, service, context)) return [];
    const kind = toModality(slot.serviceCategory) ?? schedule.modality;
    return modality === undefined || kind === modality ? { slot, schedule, kind } : [];
  });
  const { items, total } = takePage(found, query.page);
  return {
    items: items.map(({ slot, schedule, kind }) => ({
      id: slot.id,
      start: zone.toLocalTime(slot.start),
      minutes: computeMinutesBetween(slot.start, slot.end),
      serviceId: service.id,
      practitionerId: schedule.practitionerId,
      locationId: schedule.siteId,
      modality: kind,
    })),
    total,
  };
}

const pickLater = (a: string, b: string | undefined): string => (b !== undefined && b > a ? b : a);
const pickEarlier = (a: string, b: string | undefined): string => (b !== undefined && b < a ? b : a);
