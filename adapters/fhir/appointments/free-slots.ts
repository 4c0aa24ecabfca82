import {
  type Call,
  type Modality,
  type Page,
  type Slot,
  type SlotPage,
  type SlotQuery,
  takePage,
} from '../../../src/ports/index.ts';
import { addDays, formatBound } from '../../../src/toolkit/zone.ts';
import { isEligible } from '../../common/care-services.ts';
import { requireFound } from '../../common/failures.ts';
import { findApplicant, readPayer } from '../care-services/eligibility.ts';
import { getServiceCode, readLimits } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { formatToken } from '../rest/query.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import { computeMinutesBetween, toMinute } from '../schema/read.ts';
import type { Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import { toModality } from './read.ts';
import {
  type BookableSchedule,
  computeBookingHorizon,
  countSlots,
  findAvailableService,
  findInTime,
  isForService,
  listIds,
  MAX_ROWS,
  readScheduleIndex,
  readSlotDays,
  type SlotSearch,
  walkSlots,
} from './slots.ts';

/** Of how many spans of days the slots are counted for a deep page; for days of the week it may be five times as many. */
const MAX_COUNTS = 16;

/** Up to this row a page is read from the first slot on, and has no gaps where some cannot be booked. */
const MAX_FROM_START = 1_000;

/** The free slots that the institution has published; the contract is that of `Appointments.slots`. */
export async function findFreeSlots(context: FhirContext, query: SlotQuery, call: Call): Promise<SlotPage> {
  const { zone } = context;
  const { practitionerId, locationId, modality } = query;
  const service = requireFound(await findAvailableService(context, query.serviceId, call), 'service', 'serviceId');
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
  const horizon = computeBookingHorizon(context, call);
  const until = pickEarlier(horizon, query.to && zone.toEndOfDay(query.to));
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
  const toSlot = ({ slot, schedule, kind }: ReturnType<typeof toOffers>[number]): Slot => ({
    id: slot.id,
    start: zone.toLocalTime(formatBound(toMinute(slot.start))),
    minutes: computeMinutesBetween(slot.start, slot.end),
    serviceId: service.id,
    practitionerId: schedule.practitionerId,
    locationId: schedule.siteId,
    modality: kind,
  });
  const { narrowed } = query;
  const { page, fits = () => true } = narrowed ?? { page: query.page };
  const first = page ? page.page * page.limit : 0;
  const end = page ? first + page.limit : MAX_ROWS;
  // Each practitioner of a schedule is offered its slots, and the server counts them once.
  const isCountable = page !== undefined && schedulesOf.size === schedules.length;
  const ofKind = schedules.filter((each) => (modality ?? each.modality) === each.modality);
  const findPage = async () =>
    (isCountable && (narrowed !== undefined || end > MAX_FROM_START) && (await readDays())) ||
    (await (isCountable && !narrowed ? read(ofKind, true) : read(schedules, false)));
  const found = await findInTime(context, findPage, call);
  const beyond = page ? 0 : found.total - found.items.length;
  for (let row = 0; row < beyond; row++) call.omit({ resourceType: 'Slot', element: 'start' });
  return narrowed ? { ...found, isNarrowed: true } : found;

  /** Only the days of the page are read; undefined where the server cannot, or cannot count what is offered. */
  async function readDays(): Promise<Page<Slot> | undefined> {
    const days: SlotSearch[] = [];
    const { hourFrom, hourTo } = narrowed ?? {};
    const step = narrowed ? 1 : Math.ceil((Date.parse(until) - Date.parse(from)) / 86_400_000 / MAX_COUNTS);
    for (let day = zone.toLocalDay(from); Date.parse(zone.toStartOfDay(day)) < Date.parse(until); ) {
      const next = addDays(day, step);
      const begin = hourFrom === undefined ? Date.parse(zone.toStartOfDay(day)) : zone.toEpoch(`${day}T${hourFrom}:00`);
      const close = hourTo === undefined ? Date.parse(zone.toStartOfDay(next)) : zone.toEpoch(`${day}T${hourTo}:00`);
      // The clocks skip that hour.
      if (begin === undefined || close === undefined) return undefined;
      const bounds = { from: pickLater(from, formatBound(begin)), until: pickEarlier(until, formatBound(close)) };
      const isOpen = Date.parse(bounds.from) < Date.parse(bounds.until);
      if (isOpen && (narrowed?.fitsDay(day) ?? true)) days.push({ status: 'free', ...bounds });
      // The last day of the calendar has no next one.
      if (next === day) break;
      day = next;
    }
    if (days.length > 5 * MAX_COUNTS) return undefined;
    const rows = { first, end, mustEnd: hourTo !== undefined };
    const read = await readSlotDays(context, listIds(ofKind), days, rows, call);
    if (!read || !(await areAsScheduled(context, schedules, service, modality, call))) return undefined;
    return { items: toOffers(read.slots).map(toSlot).filter(fits), total: read.total };
  }

  /** Only the beginning is read where the server can count what is offered, else all of it, of which the page is kept. */
  async function read(some: readonly BookableSchedule[], isCounted: boolean): Promise<Page<Slot>> {
    const items: Slot[] = [];
    const isPart = some.length < schedules.length;
    const areCounted = () => areAsScheduled(context, schedules, service, modality, call);
    const search: SlotSearch = { status: 'free', from, until, ...(isCounted && { first: end }) };
    let count = 0;
    for await (const { slots, more, total } of walkSlots(context, listIds(some), search, call)) {
      const offers = toOffers(slots);
      const rows = offers.map(toSlot).filter(fits);
      items.push(...rows.slice(Math.max(0, first - count), Math.max(0, end - count)));
      count += rows.length;
      isCounted &&= total !== undefined && offers.length === slots.length;
      if (!more || count < end || !isCounted) continue;
      if (total !== undefined && (await areCounted())) return { items, total };
      if (isPart) return read(schedules, false);
      isCounted = false;
    }
    return isPart && !(isCounted && (await areCounted())) ? read(schedules, false) : { items, total: count };
  }
}

/** Whether no slot, past ones too, is for another service than its schedule's, or another kind of visit than asked. */
async function areAsScheduled(
  context: FhirContext,
  schedules: readonly BookableSchedule[],
  service: Resource<'HealthcareService'>,
  modality: Modality | undefined,
  call: Call,
): Promise<boolean> {
  const count = (some: readonly BookableSchedule[], parameter: string, system: string, code = '') =>
    countSlots(context, listIds(some), { [parameter]: formatToken(system, code) }, call);
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
