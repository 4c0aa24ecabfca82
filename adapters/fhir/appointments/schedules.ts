import type { Call, Instant, Modality } from '../../../src/ports/index.ts';
import { addDays } from '../../zone.ts';
import { getServiceCode, isOffered, isVirtual } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { type LocationHierarchy, readHierarchy } from '../location-hierarchy.ts';
import type { SearchResult } from '../rest/search-result.ts';
import { reportOmitted } from '../rest/unreadable.ts';
import { findCode, findExtension, parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import { toModality } from './read.ts';

type FhirService = Resource<'HealthcareService'>;
type FhirSlot = Resource<'Slot'>;

/** More would make the URL of a search too long. */
const SCHEDULES_PER_SEARCH = 50;
const SLOTS_PER_PAGE = 500;
/** A service of a large institution has thousands of slots in two months. */
const MAX_SLOTS = 10_000;

/** Whose a schedule is, where, and for which kind of visit. */
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
export async function findOfferedService(context: FhirContext, id: string, call: Call) {
  const service = (await context.catalogue.services.get(call)).find(id);
  return service && isOffered(service, context) ? service : undefined;
}

/** The schedules of all practitioners. */
export class ScheduleIndex {
  readonly #found: SearchResult<'Schedule'>;
  readonly #hierarchy: LocationHierarchy;
  readonly #context: FhirContext;

  private constructor(found: SearchResult<'Schedule'>, hierarchy: LocationHierarchy, context: FhirContext) {
    this.#found = found;
    this.#hierarchy = hierarchy;
    this.#context = context;
  }

  /** Reads them, with what their locations are part of. */
  static async read(context: FhirContext, call: Call): Promise<ScheduleIndex> {
    const found = await context.catalogue.schedules.get(call);
    const locations = found.matches.filter(isActive).map(({ actor }) => {
      // Where the schedule itself names no location, that of the role or of the service is not among what was found.
      const place = actor.find((each) => parseReferenceId(each, 'Location'));
      return found.resolve(place, 'Location');
    });
    return new ScheduleIndex(found, await readHierarchy(context, locations, call), context);
  }

  /** Finds the schedules in which the service can be booked, with this practitioner and within this location where given. */
  findByService(service: FhirService, practitionerId?: string, locationId?: string): BookableSchedule[] {
    const system = this.#context.codes.system('hcs');
    const code = getServiceCode(service, system);
    const isFor = ({ serviceType = [], actor }: Resource<'Schedule'>) =>
      actor.some((each) => parseReferenceId(each, 'HealthcareService') === service.id) ||
      serviceType.some(
        (type) =>
          findCode(type, system) === code ||
          parseReferenceId(findExtension(type, hl7.serviceReference)?.valueReference, 'HealthcareService') ===
            service.id,
      );
    return this.#listActive(isFor, service)
      .filter((each) => each.practitionerId && (practitionerId ?? each.practitionerId) === each.practitionerId)
      .filter((each) => each.locationId && this.#hierarchy.isWithin(each.locationId, locationId ?? each.locationId));
  }

  /** Finds all schedules of a practitioner, whatever they are for. */
  findByPractitioner(id: string): BookableSchedule[] {
    return this.#listActive(() => true).filter(({ practitionerId }) => practitionerId === id);
  }

  /** Whether there is a practitioner or location with this id, where one is named. */
  async exists(type: 'Practitioner' | 'Location', id: string | undefined, call: Call): Promise<boolean> {
    if (id === undefined) return true;
    if (this.#found.has(`${type}/${id}`) || (type === 'Location' && this.#hierarchy.has(id))) return true;
    return (await this.#context.client.read(type, id, call)) !== undefined;
  }

  #listActive(passes: (schedule: Resource<'Schedule'>) => boolean, service?: FhirService): BookableSchedule[] {
    return this.#found.matches
      .filter((schedule) => isActive(schedule) && passes(schedule))
      .map((schedule) => {
        const { actor, serviceCategory } = schedule;
        const roles = actor.flatMap((each) => this.#found.resolve(each, 'PractitionerRole') ?? []);
        const people = [...actor, ...roles.map(({ practitioner }) => practitioner)];
        const places = [...actor, ...roles.flatMap(({ location = [] }) => location), ...(service?.location ?? [])];
        const locationId = places.flatMap((each) => parseReferenceId(each, 'Location') ?? [])[0] ?? '';
        return {
          id: schedule.id,
          practitionerId: people.flatMap((each) => parseReferenceId(each, 'Practitioner') ?? [])[0] ?? '',
          locationId,
          siteId: this.#hierarchy.findSite(locationId)?.id ?? locationId,
          modality: toModality(serviceCategory) ?? (service && isVirtual(service) ? 'virtual' : 'in-person'),
        };
      });
  }
}

const isActive = ({ active }: Resource<'Schedule'>): boolean => active !== false;

export interface SlotSearch {
  readonly status?: 'free';
  /** The first instant at which a slot may start, and the first at which it may not any more. */
  readonly from: Instant;
  readonly until: Instant;
}

/** Whether nobody has the slot, not even beside somebody else. */
export const isFree = ({ status, overbooked }: FhirSlot): boolean => status === 'free' && overbooked !== true;

/** Finds the slots of the schedules that start within the time and last a minute or longer, the earliest first. */
export async function findSlots(
  { client }: FhirContext,
  schedules: readonly BookableSchedule[],
  { status, from, until }: SlotSearch,
  call: Call,
): Promise<FhirSlot[]> {
  const found: FhirSlot[] = [];
  for (let index = 0; index < schedules.length; index += SCHEDULES_PER_SEARCH) {
    const some = schedules.slice(index, index + SCHEDULES_PER_SEARCH);
    const query = {
      schedule: some.map(({ id }) => `Schedule/${id}`).join(','),
      status,
      start: [`ge${from}`, `lt${until}`],
      _sort: 'start',
      _count: String(SLOTS_PER_PAGE),
    };
    const { matches, unreadable } = await client.search('Slot', query, call, { entries: MAX_SLOTS, lenient: true });
    found.push(...matches);
    reportOmitted(unreadable, call);
  }
  // A server may ignore a bound or the status.
  return found
    .filter(({ start, end }) => Date.parse(end) - Date.parse(start) >= 60_000)
    .filter(({ start }) => Date.parse(start) >= Date.parse(from) && Date.parse(start) < Date.parse(until))
    .filter((slot) => slot.status !== 'entered-in-error' && (status === undefined || isFree(slot)))
    .toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start) || (a.id < b.id ? -1 : 1));
}

/** Whether the slot is for this service; a slot that names no service is for every one. */
export function isForService(slot: FhirSlot, service: FhirService, { codes }: FhirContext): boolean {
  const system = codes.system('hcs');
  const named = (slot.serviceType ?? []).flatMap((type) => findCode(type, system) ?? []);
  return named.length === 0 || named.includes(getServiceCode(service, system) ?? '');
}

/** The first instant that is too far ahead to be booked: the start of a day. */
export const computeBookingHorizon = ({ zone, horizonDays }: FhirContext, { now }: Call): string =>
  zone.toStartOfDay(addDays(zone.toLocalDay(now), horizonDays + 1));
