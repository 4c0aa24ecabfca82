import { badAnswer, isTooLate } from '../../../src/http-client/failures.ts';
import type { Call, Instant, Modality } from '../../../src/ports/index.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { addDays, formatBound } from '../../../src/toolkit/zone.ts';
import { isBookable, isBookableType } from '../../common/booking.ts';
import { getServiceCode, isAvailable, isVirtual } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { isOpen, readHierarchy } from '../location-hierarchy.ts';
import { getPractitionerId, isCurrent } from '../practitioners/read.ts';
import { reportOmitted } from '../rest/omitted.ts';
import { type SearchQuery, splitForUrl } from '../rest/query.ts';
import type { SearchResult } from '../rest/search-result.ts';
import { findCode, findExtension, parseReferenceId, type Reference, toReference } from '../schema/datatypes.ts';
import { createIsInForce } from '../schema/read.ts';
import type { Resource } from '../schema/resources.ts';
import { appointmentStatuses, hl7 } from '../schema/terminology.ts';
import { toModality } from './read.ts';

type FhirService = Resource<'HealthcareService'>;
type FhirSlot = Resource<'Slot'>;

/** Whose a schedule is, where, and for which kind of visit; one of several practitioners is one for each of them. */
export interface BookableSchedule {
  readonly id: string;
  readonly practitionerId: string;
  /** As the institution says it, down to the room. */
  readonly locationId: string;
  /** As callers are told it: the site that the location is in, else the location itself. */
  readonly siteId: string;
  readonly modality: Modality;
}

/** Undefined when the institution does not offer the service. */
export async function findAvailableService(context: FhirContext, id: string, call: Call) {
  const service = (await context.catalogue.services.get(call)).find(id);
  return service && isAvailable(service, context) ? service : undefined;
}

/** The schedules of all practitioners. */
export type ScheduleIndex = Awaited<ReturnType<typeof readScheduleIndex>>;

/** Reads them, with what their locations are part of. */
export async function readScheduleIndex(context: FhirContext, call: Call) {
  const { catalogue, zone } = context;
  const found = await catalogue.schedules.get(call);
  const services = await catalogue.services.get(call);
  // No slot is left out for a role that cannot be read.
  const roles = await catalogue.roles.get({ ...call, omit: () => undefined, identifyOmitted: () => undefined });
  const rolesOf = Map.groupBy(roles.matches, getPractitionerId);
  const isInForce = createIsInForce(call, zone);
  const hasCurrent = (some: readonly Resource<'PractitionerRole'>[]) =>
    some.length === 0 || some.some((role) => isCurrent(role, isInForce));
  const locations = found.matches.filter(isActive).map(({ actor }) => {
    // Where the schedule itself names no location, that of the role or of the service is not among what was found.
    const place = actor.find((each) => parseReferenceId(each, 'Location'));
    return found.resolve(place, 'Location');
  });
  const hierarchy = await readHierarchy(context, locations, call);
  const system = context.codes.system('hcs');
  return {
    /** Finds the schedules in which the service can be booked, with this practitioner and within this location where given. */
    findByService(service: FhirService, practitionerId?: string, locationId?: string): BookableSchedule[] {
      return listActive((schedule) => isFor(schedule, service), service)
        .filter((each) => (practitionerId ?? each.practitionerId) === each.practitionerId)
        .filter((each) => each.locationId && hierarchy.isWithin(each.locationId, locationId ?? each.locationId));
    },

    /** Finds all schedules of a practitioner, whatever they are for. */
    findByPractitioner: (id: string): BookableSchedule[] =>
      listActive(() => true).filter(({ practitionerId }) => practitionerId === id),

    /** Why none of these services can be booked in the schedule, when none can. */
    explain(id: string, services: readonly FhirService[]): string {
      const schedule = found.matches.find((each) => each.id === id);
      if (!schedule) return 'there is no such schedule, or it cannot be read';
      if (!isActive(schedule)) return 'the schedule is not active';
      const { named, people } = listAttendants(schedule, undefined);
      if (named.size === 0) return 'the schedule names no practitioner, as that of equipment does';
      if (people.length === 0) return 'the practitioner or the role of the schedule has ended, or its place is closed';
      return services.some((service) => isFor(schedule, service))
        ? 'neither the schedule nor its service names a place'
        : 'the schedule is for no service that is offered';
    },

    /** Whether there is a practitioner or location with this id, where one is named. */
    async exists(type: 'Practitioner' | 'Location', id: string | undefined, call: Call): Promise<boolean> {
      if (id === undefined) return true;
      if (found.has(`${type}/${id}`) || (type === 'Location' && hierarchy.has(id))) return true;
      return (await context.client.read(type, id, call)) !== undefined;
    },
  };

  function isFor({ serviceType = [], actor }: Resource<'Schedule'>, service: FhirService): boolean {
    const code = getServiceCode(service, system);
    const isService = (each: Reference | undefined) => parseReferenceId(each, 'HealthcareService') === service.id;
    const isOfType = (type: ServiceType) =>
      findCode(type, system) === code || isService(findExtension(type, hl7.serviceReference)?.valueReference);
    return actor.some(isService) || serviceType.some(isOfType);
  }

  function listActive(passes: (schedule: Resource<'Schedule'>) => boolean, service?: FhirService): BookableSchedule[] {
    return found.matches
      .filter((schedule) => isActive(schedule) && passes(schedule))
      .flatMap((schedule) => {
        const { serviceCategory } = schedule;
        const { people, place } = listAttendants(schedule, service);
        const locationId = parseReferenceId(place, 'Location') ?? '';
        return people.map((practitionerId) => ({
          id: schedule.id,
          practitionerId,
          locationId,
          siteId: hierarchy.findSite(locationId)?.id ?? locationId,
          modality: toModality(serviceCategory) ?? (service && isVirtual(service) ? 'virtual' : 'in-person'),
        }));
      });
  }

  /** Those with whom the schedule can be booked, and where it is. */
  function listAttendants({ actor }: Resource<'Schedule'>, service: FhirService | undefined) {
    const own = actor.flatMap((each) => found.resolve(each, 'PractitionerRole') ?? []);
    const named = [...actor, ...own.map(({ practitioner }) => practitioner)];
    const places = [...actor, ...own.flatMap(({ location = [] }) => location), ...(service?.location ?? [])];
    const place = places.find((each) => parseReferenceId(each, 'Location') !== undefined);
    const location = [found, roles, services].map((each) => each.resolve(place, 'Location')).find(Boolean);
    const people = new Set(named.flatMap((each) => parseReferenceId(each, 'Practitioner') ?? []));
    const isAttending = (id: string) => {
      const who = toReference('Practitioner', id);
      const practitioner = found.resolve(who, 'Practitioner') ?? roles.resolve(who, 'Practitioner');
      return isBookable({
        practitionerActive: practitioner?.active,
        roleActive: hasCurrent(own) && hasCurrent(rolesOf.get(id) ?? []),
        placeOpen: location && isOpen(location),
      });
    };
    return { named: people, people: [...people].filter(isAttending), place };
  }
}

type ServiceType = NonNullable<Resource<'Schedule'>['serviceType']>[number];

const isActive = ({ active }: Resource<'Schedule'>): boolean => active !== false;

/** Whether the slot is for this service; a slot that names no service is for every one. */
export function isForService(slot: FhirSlot, service: FhirService, { codes }: FhirContext): boolean {
  const system = codes.system('hcs');
  const named = (slot.serviceType ?? []).flatMap((type) => findCode(type, system) ?? []);
  return named.length === 0 || named.includes(getServiceCode(service, system) ?? '');
}

/** The first instant that is too far ahead to be booked: the start of a day. */
export const computeBookingHorizon = ({ zone, horizonDays }: FhirContext, { now }: Call): string =>
  zone.toStartOfDay(addDays(zone.toLocalDay(now), horizonDays + 1));

/** How many slots one search brings at most: a service of a large institution has thousands in two months. */
const WINDOW = 5_000;

/** Most rows of a list of slots without pages; it says how many it leaves out. */
export const MAX_ROWS = 10_000;

export interface SlotSearch {
  readonly status?: 'free';
  /** The first instant at which a slot may start, and the first at which it may not any more. */
  readonly from: Instant;
  readonly until: Instant;
  /** How many slots the first window has, where the server is to count all. */
  readonly first?: number;
}

/** Slots that follow each other. */
export interface SlotBatch {
  /** The earliest first. */
  readonly slots: readonly FhirSlot[];
  /** Whether there are later ones. */
  readonly more: boolean;
  /** How many all windows have, as the server counts; undefined where it does not, or counts what was left out of them. */
  readonly total: number | undefined;
}

/** Whether nobody has the slot, not even beside somebody else. */
export const isFree = ({ status, overbooked }: FhirSlot): boolean => status === 'free' && overbooked !== true;

/** Finds all slots that `walkSlots` would, the earliest first. */
export async function findSlots(
  context: FhirContext,
  schedules: readonly BookableSchedule[],
  search: SlotSearch,
  call: Call,
): Promise<readonly FhirSlot[]> {
  const found: FhirSlot[] = [];
  for (const ids of splitForUrl(listIds(schedules))) {
    for await (const { slots } of walkSlots(context, ids, search, call)) found.push(...slots);
  }
  return found.toSorted(compareStarts);
}

/**
 * Walks over the slots of these schedules that can be shown, the earliest first. Each window is one search, which begins
 * with the last moment of the one before.
 * @param ids references to the schedules.
 */
export async function* walkSlots(
  context: FhirContext,
  ids: readonly string[],
  search: SlotSearch,
  call: Call,
): AsyncGenerator<SlotBatch> {
  const { client, zone } = context;
  const { until, first } = search;
  const groups = first === undefined || canSearchTogether(context, ids) ? [ids] : ids.map((id) => [id]);
  let size = Math.min(first ?? WINDOW, WINDOW);
  let begin = search.from;
  let known: readonly string[] = [];
  let total: number | undefined;
  for (let isFirst = true; ; isFirst = false) {
    const found: SearchResult<'Slot'>[] = [];
    for (const group of groups) {
      const counted = isFirst && first !== undefined ? { _total: 'accurate' } : {};
      const criteria = { ...toQuery(context, group, { ...search, from: begin }), ...withAppointments };
      const query = { ...criteria, ...counted, _sort: 'start', _count: String(size) };
      found.push(await readWindow(client, query, size, call));
    }
    // Behind the end of one that goes on, others are ahead of it; so are those behind a window that is made shorter.
    const ends = found.flatMap(({ more, matches, windowEnd }) => [
      ...(more ? [Date.parse(matches.at(-1)?.start ?? begin)] : []),
      ...(windowEnd === undefined ? [] : [Date.parse(windowEnd)]),
    ]);
    const last = Math.min(Date.parse(until), ...ends);
    const more = ends.length > 0 && last < Date.parse(until);
    const matches = found
      .flatMap(listSlots)
      .filter(({ id, start }) => !known.includes(id) && (!more || Date.parse(start) <= last));
    // More of them begin at one moment than a window has.
    if (more && matches.length === 0 && last <= Date.parse(begin)) throw badAnswer('too_many_results');
    const slots = keepShown(matches, { ...search, from: begin }, zone);
    const unreadable = found.flatMap((each) => each.unreadable).filter(({ type }) => type === 'Slot');
    reportOmitted(unreadable, call);
    if (isFirst && first !== undefined) total = await sumTotals();
    if (slots.length < matches.length || unreadable.length > 0) total = undefined;
    yield { slots, more, total };
    if (!more) return;
    const atLast = found.flatMap((each) => each.matches).filter(({ start }) => Date.parse(start) === last);
    known = atLast.map(({ id }) => id);
    begin = formatBound(last);
    size = WINDOW;

    /** Without those behind the end, where the server was not told of it. */
    async function sumTotals(): Promise<number | undefined> {
      const totals = found.map((each) => each.total);
      if (more && !isBounded(ids)) {
        const beyond = await countSlots(context, ids, { ...toStatus(context, search), start: `ge${until}` }, call);
        totals.push(beyond && -beyond);
      }
      return totals.reduce((sum, each) => (sum !== undefined && each !== undefined ? sum + each : undefined), 0);
    }
  }
}

/** The first `size` matches; all of them from a server that does not sort. */
async function readWindow(client: FhirContext['client'], query: SearchQuery, size: number, call: Call) {
  const options = { entries: WINDOW, pages: WINDOW, lenient: true } as const;
  const { ladder } = client;
  if (!ladder.heeds('Slot', '_sort')) return client.search('Slot', query, call, options);
  const found = await client.search('Slot', query, call, { ...options, enough: size });
  if (!isSorted(found.matches) && !found.lacks.has('_sort')) ladder.notice('Slot', '_sort');
  const isInOrder = ladder.heeds('Slot', '_sort') && !found.lacks.has('_sort');
  return found.more && !isInOrder ? client.search('Slot', query, call, options) : found;
}

const isSorted = (slots: readonly FhirSlot[]): boolean =>
  slots.every(({ start }, index) => Date.parse(start) >= Date.parse(slots[index - 1]?.start ?? start));

/** What all statuses are but `free`. */
const TAKEN = 'busy,busy-unavailable,busy-tentative,entered-in-error';

/** Finds free slots; once again, in other words, where no answer came in time: HAPI on H2 needs minutes for one status. */
export async function findInTime<T>({ client }: FhirContext, find: () => Promise<T>, call: Call): Promise<T> {
  const { ladder } = client;
  const knew = ladder.isTried('Slot', 'status:not');
  return find().catch(async (error: unknown) => {
    if (!isTooLate(error) || knew) throw error;
    // A server that knows `:not` finds no slot without a status; some ignore what they do not know.
    const count = () => client.count('Slot', { 'status:not': `${TAKEN},free` }, call).catch(ignoreFailure);
    if (!ladder.isTried('Slot', 'status:not')) {
      if ((await count()) === 0) ladder.confirm('Slot', 'status:not');
      else ladder.notice('Slot', 'status:not');
    }
    return find();
  });
}

/** Whether one search is for all these schedules. Each of a few is asked for alone, which every server does at once. */
const canSearchTogether = ({ client: { ladder } }: FhirContext, ids: readonly string[]) =>
  ladder.isTried('Slot', 'status:not') ? ladder.obeys('Slot', 'status:not') : ids.length > 3;

/** Whether both ends of a time fit into a search. What is too long for a URL goes by POST, which may name a parameter once. */
const isBounded = (ids: readonly string[]): boolean => splitForUrl(ids).length <= 1;

const toStatus = ({ client }: FhirContext, { status }: SlotSearch): SearchQuery =>
  status && client.ladder.obeys('Slot', 'status:not') ? { 'status:not': TAKEN } : { status };

const toQuery = (context: FhirContext, ids: readonly string[], search: SlotSearch, isShort = isBounded(ids)) => ({
  schedule: ids.join(','),
  ...toStatus(context, search),
  start: isShort ? [`ge${search.from}`, `lt${search.until}`] : `ge${search.from}`,
});

/** Those that can be asked for, the earliest first; a server may ignore a bound or the status. */
const keepShown = (slots: readonly FhirSlot[], { status, from, until }: SlotSearch, zone: FhirContext['zone']) =>
  slots
    .filter(({ start, end }) => Date.parse(end) - Date.parse(start) >= 60_000)
    .filter(({ start }) => Date.parse(start) >= Date.parse(from) && Date.parse(start) < Date.parse(until))
    .filter((slot) => slot.status !== 'entered-in-error' && (status === undefined || isFree(slot)))
    .filter(({ start }) => !zone.isRepeated(start))
    .toSorted(compareStarts);

/** Slots of one moment stay as the server orders them, which pages follow. */
const compareStarts = (a: FhirSlot, b: FhirSlot): number => Date.parse(a.start) - Date.parse(b.start);

/** How many slots of the schedules the server ever had that meet the criteria; undefined where it does not count. */
export const countSlots = async ({ client }: FhirContext, ids: readonly string[], criteria: SearchQuery, call: Call) =>
  ids.length === 0 ? 0 : client.count('Slot', { schedule: ids.join(','), ...criteria }, call);

/** References, each once. */
export const listIds = (schedules: readonly BookableSchedule[]): string[] => [
  ...new Set(schedules.map(({ id }) => `Schedule/${id}`)),
];

/** The last slots of a time tell whether slots of it end behind it, which no search asks for; the longest one may be before. */
const lastOnes = { _sort: '-start', _count: '20', _total: 'accurate' } as const;

/**
 * Reads those of the slots from `first` to `end` that can be shown, and how many slots there are: one request counts each of
 * the times, which are days or hours of them, and one reads from those that have these slots. Undefined where the server
 * cannot, or where slots must end in their time and some do not.
 */
export async function readSlotDays(
  context: FhirContext,
  ids: readonly string[],
  days: readonly SlotSearch[],
  { first, end, mustEnd }: { readonly first: number; readonly end: number; readonly mustEnd: boolean },
  call: Call,
): Promise<{ readonly slots: readonly FhirSlot[]; readonly total: number } | undefined> {
  const { client, zone } = context;
  if (!canSearchTogether(context, ids)) return undefined;
  const counting = mustEnd ? lastOnes : { _summary: 'count' };
  const counted = days.map((day) => ({ ...toQuery(context, ids, day, true), ...counting }));
  const counts = await client.searchAtOnce('Slot', counted, call);
  let total = 0;
  const wanted: { readonly day: SlotSearch; readonly skip: number; readonly count: number }[] = [];
  for (const [index, day] of days.entries()) {
    const { total: size, matches = [] } = counts?.[index] ?? {};
    if (size === undefined || matches.some((slot) => Date.parse(slot.end) > Date.parse(day.until))) return undefined;
    const [skip, count] = [Math.max(0, first - total), Math.min(size, end - total)];
    if (count > skip) wanted.push({ day, skip, count });
    total += size;
  }
  if (wanted.length === 0) return { slots: [], total };
  const shown = { ...withAppointments, _sort: 'start,_id' };
  const read = wanted.map(({ day, count }) => ({
    ...toQuery(context, ids, day, true),
    ...shown,
    _count: String(count),
  }));
  const found = await client.searchAtOnce('Slot', read, call);
  const slots: FhirSlot[] = [];
  for (const [index, { day, skip, count }] of wanted.entries()) {
    const own = found?.[index];
    if (!own || own.matches.length < count || own.unreadable.length > 0) return undefined;
    slots.push(...keepShown(listSlots(own).slice(skip, count), day, zone));
  }
  return { slots, total };
}

/** What a search for slots asks for, so that the appointments that name them come along. */
export const withAppointments = { _revinclude: 'Appointment:slot' } as const;

/** The slots found; one that an active appointment names is busy, one for emergencies and the like unavailable. */
export function listSlots(found: SearchResult<'Slot'>): Resource<'Slot'>[] {
  const active = found.list('Appointment').filter(({ status }) => appointmentStatuses.active.includes(status));
  const named = new Set(active.flatMap(({ slot = [] }) => slot.map((each) => parseReferenceId(each, 'Slot'))));
  return found.matches.map((slot) => {
    if (slot.status !== 'free') return slot;
    if (named.has(slot.id)) return { ...slot, status: 'busy' };
    return isBookableType(findCode(slot.appointmentType, hl7.appointmentType))
      ? slot
      : { ...slot, status: 'busy-unavailable' };
  });
}
