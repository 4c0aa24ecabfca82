import { type Call, type Instant, type Page, type Slot, type SlotQuery, takePage } from '../../../src/ports/index.ts';
import { formatBound } from '../../../src/toolkit/zone.ts';
import { isEligible } from '../../common/care-services.ts';
import { requireFound } from '../../common/failures.ts';
import { fitsQuery, limitsHours } from '../../common/slot-lists.ts';
import { findApplicant, readPayer } from '../care-services/eligibility.ts';
import { getServiceCode, readLimits } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { formatToken } from '../rest/query.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import { computeMinutesBetween, toMinute } from '../schema/read.ts';
import type { Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import { toModality } from './read.ts';
import { type BookableSchedule, findAvailableService, listIds, readScheduleIndex } from './schedules.ts';
import { type RowRange, readSlotDays, splitIntoDays } from './slot-days.ts';
import { computeBookingHorizon } from './slot-facts.ts';
import { countSlots, findInTime, MAX_ROWS, type SlotSearch, walkSlots } from './slots.ts';

/** Up to this row, a page is read from the first slot on. Such a page has no gaps for slots that cannot be booked. */
const MAX_FROM_START = 1_000;

/** Finds the published free slots, as `Appointments.slots` specifies. */
export async function findFreeSlots(context: FhirContext, query: SlotQuery, call: Call): Promise<Page<Slot>> {
  const wanted = await findWanted(context, query, call);
  if (!wanted) return takePage([], query.page);
  const found = await findInTime(context, () => new SlotList(context, wanted, call).findPage(), call);
  const beyond = query.page ? 0 : found.total - found.items.length;
  for (let row = 0; row < beyond; row++) call.omit({ resourceType: 'Slot', element: 'start' });
  return found;
}

/** Free slots of a service in these schedules, from the first instant to the second. */
interface FreeSlotSearch {
  readonly query: SlotQuery;
  readonly service: Resource<'HealthcareService'>;
  readonly schedules: readonly BookableSchedule[];
  readonly from: Instant;
  readonly until: Instant;
}

/** The slots of the query. Undefined if there can be none. */
async function findWanted(context: FhirContext, query: SlotQuery, call: Call): Promise<FreeSlotSearch | undefined> {
  const { zone } = context;
  const { practitionerId, locationId } = query;
  const service = requireFound(await findAvailableService(context, query.serviceId, call), 'service', 'serviceId');
  const index = await readScheduleIndex(context, call);
  requireFound(await index.exists('Practitioner', practitionerId, call), 'practitioner', 'practitionerId');
  requireFound(await index.exists('Location', locationId, call), 'location', 'locationId');
  const limits = readLimits(service, context);
  const applicant = await findApplicant(context, query, call);
  const coverage = await readPayer(applicant, [limits], context, call);
  if (!isEligible(limits, { ...applicant, coverage }, zone.toLocalDay(call.now))) return undefined;
  const schedules = index.findByService(service, practitionerId, locationId);
  // The current minute counts as past.
  const from = pickLater(formatBound(toMinute(call.now) + 60_000), query.from && zone.toStartOfDay(query.from));
  const until = pickEarlier(computeBookingHorizon(context, call), query.to && zone.toEndOfDay(query.to));
  const isEmpty = schedules.length === 0 || Date.parse(from) >= Date.parse(until);
  return isEmpty ? undefined : { query, service, schedules, from, until };
}

const pickLater = (a: Instant, b = a): Instant => (Date.parse(b) > Date.parse(a) ? b : a);
const pickEarlier = (a: Instant, b = a): Instant => (Date.parse(b) < Date.parse(a) ? b : a);

/** Consecutive slots of a list, as callers see them. */
interface Batch {
  readonly rows: readonly Slot[];
  /** True if there are later slots. */
  readonly more: boolean;
  /**
   * The number of slots in the whole list, by the server's count. Undefined if the server does not count, or counts
   * slots that are not listed.
   */
  readonly total: number | undefined;
}

/**
 * A list of free slots. A page is found in three steps. `#list` lists slots, `#filter` drops slots outside the query,
 * and `#takeRows` returns the rows of the page.
 */
class SlotList {
  readonly #context: FhirContext;
  readonly #wanted: FreeSlotSearch;
  readonly #call: Call;
  readonly #search: SlotSearch;
  readonly #rows: RowRange;
  readonly #schedulesById: ReadonlyMap<string, readonly BookableSchedule[]>;
  /** The schedules for the query's kind of visit. A slot may still have another kind. */
  readonly #ofKind: readonly BookableSchedule[];
  #asScheduled: Promise<boolean> | undefined;

  constructor(context: FhirContext, wanted: FreeSlotSearch, call: Call) {
    const { query, schedules, service, from, until } = wanted;
    const { page, modality } = query;
    const first = page ? page.page * page.limit : 0;
    this.#context = context;
    this.#wanted = wanted;
    this.#call = call;
    const serviceCodes = [getServiceCode(service, context.codes.system('hcs')) ?? ''];
    this.#search = { status: 'free', from, until, serviceCodes };
    this.#rows = { first, end: page ? first + page.limit : MAX_ROWS };
    this.#schedulesById = Map.groupBy(schedules, ({ id }) => id);
    this.#ofKind = schedules.filter((each) => (modality ?? each.modality) === each.modality);
  }

  async findPage(): Promise<Page<Slot>> {
    const { query, schedules } = this.#wanted;
    const hasHours = limitsHours(query);
    // A schedule's slots are offered for each of its practitioners, but the server counts them once. It also counts those
    // outside the practitioner's role.
    const { from, until } = this.#wanted;
    const isStaffed = schedules.every((schedule) => schedule.isStaffed(from, until));
    const isCountable = query.page !== undefined && this.#schedulesById.size === schedules.length && isStaffed;
    if (isCountable && (hasHours || this.#rows.end > MAX_FROM_START)) {
      const page = await this.#readDaysOfPage();
      if (page) return page;
    }
    return isCountable && !hasHours ? this.#readUpToPage() : this.#takeRows(this.#list(schedules));
  }

  /**
   * Lists only the days of the page. Undefined if the server does not support this, or cannot count the offered slots.
   */
  async #readDaysOfPage(): Promise<Page<Slot> | undefined> {
    const { query } = this.#wanted;
    const days = splitIntoDays(this.#search, limitsHours(query) ? query : undefined, this.#context.zone);
    if (!days) return undefined;
    const wanted = { ids: listIds(this.#ofKind), days, rows: this.#rows, mustEnd: query.hourTo !== undefined };
    const read = await readSlotDays(this.#context, wanted, this.#call);
    if (!read || !(await this.#areAsScheduled())) return undefined;
    return { items: this.#filter(read.slots), total: read.total };
  }

  /** Lists slots up to the end of the page if the server can count the offered slots. Otherwise lists all. */
  async #readUpToPage(): Promise<Page<Slot>> {
    const { schedules } = this.#wanted;
    const isWhole = this.#ofKind.length === schedules.length;
    if (!isWhole && !(await this.#areAsScheduled())) return this.#takeRows(this.#list(schedules));
    return this.#takeRows(this.#list(this.#ofKind, this.#rows.end));
  }

  /** @param first the number of slots in the first batch, if the server has to count. */
  async *#list(schedules: readonly BookableSchedule[], first?: number): AsyncGenerator<Batch> {
    const search = { ...this.#search, ...(first !== undefined && { first }) };
    for await (const { slots, more, total } of walkSlots(this.#context, listIds(schedules), search, this.#call)) {
      const rows = this.#filter(slots);
      yield { rows, more, total: rows.length === slots.length ? total : undefined };
    }
  }

  /** The slots of the query as callers see them: once for each practitioner of their schedule. */
  #filter(slots: readonly Resource<'Slot'>[]): Slot[] {
    // The schedules are already within the query's location. Callers may see another location: the site.
    const { locationId: _, ...query } = this.#wanted.query;
    return slots
      .flatMap((slot) => {
        const all = this.#schedulesById.get(parseReferenceId(slot.schedule, 'Schedule') ?? '') ?? [];
        const own = all.filter((schedule) => schedule.isStaffed(slot.start, slot.start));
        return own.map((schedule) => this.#toSlot(slot, schedule));
      })
      .filter((slot) => fitsQuery(slot, query));
  }

  #toSlot(slot: Resource<'Slot'>, schedule: BookableSchedule): Slot {
    return {
      id: slot.id,
      start: this.#context.zone.toLocalTime(formatBound(toMinute(slot.start))),
      minutes: computeMinutesBetween(slot.start, slot.end),
      serviceId: this.#wanted.service.id,
      practitionerId: schedule.practitionerId,
      locationId: schedule.siteId,
      modality: toModality(slot.serviceCategory) ?? schedule.modality,
    };
  }

  /**
   * The rows of the page. It reads batches to the end of the page, and until the server has counted all offered slots.
   */
  async #takeRows(batches: AsyncIterable<Batch>): Promise<Page<Slot>> {
    const { first, end } = this.#rows;
    const items: Slot[] = [];
    let count = 0;
    let isCounted = true;
    for await (const { rows, more, total } of batches) {
      items.push(...rows.slice(Math.max(0, first - count), Math.max(0, end - count)));
      count += rows.length;
      isCounted &&= total !== undefined;
      if (!more || count < end || total === undefined || !isCounted) continue;
      if (await this.#areAsScheduled()) return { items, total };
      isCounted = false;
    }
    return { items, total: count };
  }

  /** Returns true if every slot, past ones too, has its schedule's service and the query's kind of visit. */
  #areAsScheduled(): Promise<boolean> {
    this.#asScheduled ??= this.#countOthers();
    return this.#asScheduled;
  }

  async #countOthers(): Promise<boolean> {
    const { query, service, schedules } = this.#wanted;
    const count = (some: readonly BookableSchedule[], parameter: string, system: string, code = '') =>
      countSlots(this.#context, listIds(some), { [parameter]: formatToken(system, code) }, this.#call);
    const system = this.#context.codes.system('hcs');
    const named = await count(schedules, 'service-type', system);
    const own = getServiceCode(service, system);
    if (named === undefined) return false;
    const isOwn = async () => own !== undefined && named === (await count(schedules, 'service-type', system, own));
    if (named !== 0 && !(await isOwn())) return false;
    if (query.modality === undefined) return true;
    const { virtual = [], 'in-person': others = [] } = Object.groupBy(schedules, (each) => each.modality);
    const countKind = (some: readonly BookableSchedule[], code?: string) =>
      count(some, 'service-category', hl7.actCode, code);
    return (await countKind(others, 'VR')) === 0 && (await countKind(virtual)) === (await countKind(virtual, 'VR'));
  }
}
