import type { Call, Modality, Page, Slot, SlotQuery } from '../../../src/ports/index.ts';
import { takePage } from '../../../src/ports/take-page.ts';
import { formatBound } from '../../../src/toolkit/zone.ts';
import { isEligible } from '../../common/eligibility.ts';
import { requireFound } from '../../common/require-found.ts';
import { findApplicant, readPayer } from '../care-services/eligibility.ts';
import { getServiceCode, readLimits } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { computeMinutesBetween, toMinute } from '../datatypes/dates.ts';
import { formatToken } from '../rest/url.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import { toModality } from './read.ts';
import {
  type BookableSchedule,
  computeBookingHorizon,
  countSlots,
  findOfferedService,
  findSlots,
  isForService,
  readScheduleIndex,
  type SlotSearch,
} from './schedules.ts';

/** The free slots that the institution has published; the contract is that of `Appointments.slots`. */
export async function findFreeSlots(context: FhirContext, query: SlotQuery, call: Call): Promise<Page<Slot>> {
  const { zone } = context;
  const { practitionerId, locationId, modality } = query;
  const service = requireFound(await findOfferedService(context, query.serviceId, call), 'service', 'serviceId');
  const index = await readScheduleIndex(context, call);
  requireFound(await index.exists('Practitioner', practitionerId, call), 'practitioner', 'practitionerId');
  requireFound(await index.exists('Location', locationId, call), 'location', 'locationId');
  const limits = readLimits(service, context);
  const applicant = await findApplicant(context, query, call);
  const coverage = await readPayer(applicant, [limits], context, call);
  if (!isEligible(limits, { ...applicant, coverage }, zone.toLocalDay(call.now))) return takePage([], query.page);
  const schedules = index.findByService(service, practitionerId, locationId);
  // A minute that has begun is past.
  const from = pickLater(formatBound(toMinute(call.now) + 60_000), query.from && zone.toStartOfDay(query.from));
  const end = computeBookingHorizon(context, call);
  const until = pickEarlier(end, query.to && zone.toEndOfDay(query.to));
  if (schedules.length === 0 || Date.parse(from) >= Date.parse(until)) return takePage([], query.page);
  const schedulesOf = Map.groupBy(schedules, ({ id }) => id);
  const toOffers = (slots: readonly Resource<'Slot'>[]) =>
    slots.flatMap((slot) => {
      if (!isForService(slot, service, context)) return [];
      const own = schedulesOf.get(parseReferenceId(slot.schedule, 'Schedule') ?? '') ?? [];
      return own
        .map((schedule) => ({ slot, schedule, kind: toModality(slot.serviceCategory) ?? schedule.modality }))
        .filter(({ kind }) => (modality ?? kind) === kind);
    });
  const search: SlotSearch = { status: 'free', from, until };
  const { items, total } = await readPage();
  return {
    items: items.map(({ slot, schedule, kind }) => ({
      id: slot.id,
      start: zone.toLocalTime(formatBound(toMinute(slot.start))),
      minutes: computeMinutesBetween(slot.start, slot.end),
      serviceId: service.id,
      practitionerId: schedule.practitionerId,
      locationId: schedule.siteId,
      modality: kind,
    })),
    total,
  };

  /** Only the beginning is read where the server can count what is offered, else all of it. */
  async function readPage() {
    const { page } = query;
    // Each practitioner of a schedule is offered its slots, and the server counts them once.
    if (page && schedulesOf.size === schedules.length) {
      const asked = schedules.filter((each) => modality === undefined || each.modality === modality);
      const first = (page.page + 1) * page.limit;
      const { slots, isWhole, total } = await findSlots(context, asked, { ...search, first }, call);
      const offers = toOffers(slots);
      if (isWhole && asked.length === schedules.length) return takePage(offers, page);
      const isCounted = total !== undefined && offers.length === slots.length;
      if (isCounted && (await areAsScheduled(context, schedules, service, modality, call))) {
        return { items: takePage(offers, page).items, total };
      }
    }
    const { slots } = await findSlots(context, schedules, search, call);
    return takePage(toOffers(slots), page);
  }
}

/**
 * Whether all slots, past ones too, are for what their schedules are for: none names another service alone, or another kind
 * of visit where one is asked for.
 */
async function areAsScheduled(
  context: FhirContext,
  schedules: readonly BookableSchedule[],
  service: Resource<'HealthcareService'>,
  modality: Modality | undefined,
  call: Call,
): Promise<boolean> {
  const count = (some: readonly BookableSchedule[], parameter: string, system: string, code = '') =>
    countSlots(context, some, { [parameter]: formatToken(system, code) }, call);
  const system = context.codes.system('hcs');
  const named = await count(schedules, 'service-type', system);
  const own = getServiceCode(service, system);
  if (named !== 0 && (own === undefined || named !== (await count(schedules, 'service-type', system, own))))
    return false;
  if (modality === undefined) return named !== undefined;
  const { virtual = [], 'in-person': others = [] } = Object.groupBy(schedules, (each) => each.modality);
  const countKind = (some: readonly BookableSchedule[], code?: string) =>
    count(some, 'service-category', hl7.actCode, code);
  return (await countKind(others, 'VR')) === 0 && (await countKind(virtual)) === (await countKind(virtual, 'VR'));
}

const pickLater = (a: string, b = a): string => (Date.parse(b) > Date.parse(a) ? b : a);
const pickEarlier = (a: string, b = a): string => (Date.parse(b) < Date.parse(a) ? b : a);
