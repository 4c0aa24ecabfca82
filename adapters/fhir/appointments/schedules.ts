import type { Call, Instant, Modality } from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/toolkit/records.ts';
import { isOpenSchedule } from '../../common/bookable.ts';
import { getServiceCode, isAvailable, isVirtual } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { isOpen, type LocationHierarchy, readHierarchy } from '../location-hierarchy.ts';
import { isCurrent } from '../practitioners/read.ts';
import type { SearchResult } from '../rest/search-result.ts';
import {
  findCode,
  findExtension,
  type Period,
  parseReferenceId,
  type Reference,
  toReference,
} from '../schema/datatypes.ts';
import { createIsInForce, getPractitionerId } from '../schema/read.ts';
import type { FhirService, Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import { toModality } from './read.ts';

type FhirSchedule = Resource<'Schedule'>;

/**
 * One practitioner of a schedule, with the place and the kind of visit. A schedule with several practitioners gives one
 * for each.
 */
export interface BookableSchedule {
  readonly id: string;
  readonly practitionerId: string;
  /** The location in the institution's data, which may be a room. */
  readonly locationId: string;
  /** The location for callers: the site of the location, or the location itself. */
  readonly siteId: string;
  readonly modality: Modality;
  /** True if the practitioner has the same role from the first instant to the second. */
  readonly isStaffed: (from: Instant, until: Instant) => boolean;
}

/** References to the schedules, without duplicates. */
export const listIds = (schedules: readonly BookableSchedule[]): string[] => [
  ...new Set(schedules.map(({ id }) => `Schedule/${id}`)),
];

/** Undefined if the institution does not offer the service. */
export async function findAvailableService(context: FhirContext, id: string, call: Call) {
  const service = (await context.catalogue.services.get(call)).find(id);
  return service && isAvailable(service, context) ? service : undefined;
}

/** The schedules of the catalog, and the records that they name. */
interface Found {
  readonly schedules: SearchResult<'Schedule'>;
  readonly services: SearchResult<'HealthcareService'>;
  readonly roles: SearchResult<'PractitionerRole'>;
  readonly hierarchy: LocationHierarchy;
}

/** Reads the schedules of all practitioners, and the hierarchy of their locations. */
export async function readScheduleIndex(context: FhirContext, call: Call): Promise<ScheduleIndex> {
  const { catalogue } = context;
  const schedules = await catalogue.schedules.get(call);
  const services = await catalogue.services.get(call);
  // An unreadable role hides no slot, so it is not reported.
  const roles = await catalogue.roles.get({ ...call, omit: () => undefined });
  const locations = schedules.matches.filter(isActive).map(({ actor }) => {
    // If the schedule names no location, the location of its role or service was not included.
    const place = actor.find((each) => parseReferenceId(each, 'Location'));
    return schedules.resolve(place, 'Location');
  });
  const hierarchy = await readHierarchy(context, locations, call);
  return new ScheduleIndex(context, { schedules, services, roles, hierarchy }, call);
}

/** Finds bookable schedules among those of all practitioners. */
export class ScheduleIndex {
  readonly #context: FhirContext;
  readonly #found: Found;
  readonly #rolesOf: ReadonlyMap<string | undefined, readonly Resource<'PractitionerRole'>[]>;
  readonly #call: Call;

  constructor(context: FhirContext, found: Found, call: Call) {
    this.#context = context;
    this.#found = found;
    this.#rolesOf = Map.groupBy(found.roles.matches, getPractitionerId);
    this.#call = call;
  }

  /**
   * Finds the schedules in which the service can be booked, optionally with this practitioner and within this location.
   */
  findByService(service: FhirService, practitionerId?: string, locationId?: string): BookableSchedule[] {
    const { hierarchy, schedules } = this.#found;
    return schedules.matches
      .filter((schedule) => this.#isFor(schedule, service))
      .flatMap((schedule) => this.#listBookable(schedule, service))
      .filter((each) => (practitionerId ?? each.practitionerId) === each.practitionerId)
      .filter((each) => each.locationId && hierarchy.isWithin(each.locationId, locationId ?? each.locationId));
  }

  /** Finds all schedules of a practitioner, for any service. */
  findByPractitioner(id: string): BookableSchedule[] {
    return this.#found.schedules.matches
      .flatMap((schedule) => this.#listBookable(schedule))
      .filter(({ practitionerId }) => practitionerId === id);
  }

  /** Explains why none of these services can be booked in the schedule. */
  explain(id: string, services: readonly FhirService[]): string {
    const schedule = this.#found.schedules.matches.find((each) => each.id === id);
    if (!schedule) return 'there is no such schedule, or it cannot be read';
    if (!isActive(schedule)) return 'the schedule is not active';
    const { named, people } = this.#listAttendants(schedule);
    if (named.size === 0) return 'the schedule names no practitioner, like a schedule of equipment';
    if (people.length === 0) return 'the practitioner or the role of the schedule has ended, or its place is closed';
    return services.some((service) => this.#isFor(schedule, service))
      ? 'neither the schedule nor its service names a place'
      : 'the schedule has no offered service';
  }

  /** Returns true if the practitioner or location exists, or if none is named. */
  async exists(type: 'Practitioner' | 'Location', id: string | undefined, call: Call): Promise<boolean> {
    const { hierarchy, schedules } = this.#found;
    if (id === undefined) return true;
    if (schedules.has(`${type}/${id}`) || (type === 'Location' && hierarchy.has(id))) return true;
    return (await this.#context.client.read(type, id, call)) !== undefined;
  }

  #isFor({ serviceType = [], actor }: FhirSchedule, service: FhirService): boolean {
    const system = this.#context.codes.system('hcs');
    const code = getServiceCode(service, system);
    const isService = (each: Reference | undefined) => parseReferenceId(each, 'HealthcareService') === service.id;
    const isOfType = (type: ServiceType) =>
      findCode(type, system) === code || isService(findExtension(type, hl7.serviceReference)?.valueReference);
    return actor.some(isService) || serviceType.some(isOfType);
  }

  /** The schedule for each practitioner with whom it can be booked. */
  #listBookable(schedule: FhirSchedule, service?: FhirService): BookableSchedule[] {
    const { people, place, own } = this.#listAttendants(schedule, service);
    const locationId = parseReferenceId(place, 'Location') ?? '';
    return people.map((practitionerId) => ({
      id: schedule.id,
      practitionerId,
      locationId,
      siteId: this.#found.hierarchy.findSite(locationId)?.id ?? locationId,
      modality: toModality(schedule.serviceCategory) ?? (service && isVirtual(service) ? 'virtual' : 'in-person'),
      isStaffed: (from, until) =>
        [own, this.#rolesOf.get(practitionerId) ?? []].every((roles) => this.#cover(roles, from, until)),
    }));
  }

  /** The schedule's practitioners, those who may be bookable at some time, its place and its roles. */
  #listAttendants({ active, actor }: FhirSchedule, service?: FhirService) {
    const { schedules, services, roles } = this.#found;
    const own = actor.flatMap((each) => schedules.resolve(each, 'PractitionerRole') ?? []);
    const practitioners = [...actor, ...own.map(({ practitioner }) => practitioner)];
    const places = [...actor, ...own.flatMap(({ location = [] }) => location), ...(service?.location ?? [])];
    const place = places.find((each) => parseReferenceId(each, 'Location') !== undefined);
    const location = [schedules, roles, services].map((each) => each.resolve(place, 'Location')).find(Boolean);
    const named = new Set(practitioners.flatMap((each) => parseReferenceId(each, 'Practitioner') ?? []));
    const isAttending = (id: string) => {
      const who = toReference('Practitioner', id);
      const practitioner = schedules.resolve(who, 'Practitioner') ?? roles.resolve(who, 'Practitioner');
      return isOpenSchedule({
        scheduleActive: active,
        practitionerActive: practitioner?.active,
        roleActive: this.#hasOpen(own) && this.#hasOpen(this.#rolesOf.get(id) ?? []),
        placeOpen: location && isOpen(location),
      });
    };
    return { named, people: [...named].filter(isAttending), place, own };
  }

  /** True if one of the roles has not ended, or if there is none. */
  #hasOpen(roles: readonly Resource<'PractitionerRole'>[]): boolean {
    const isInForce = createIsInForce(this.#call, this.#context.zone);
    const isOpenEnded = (period: Period = {}) => isInForce(omitUndefined({ end: period.end }));
    return roles.length === 0 || roles.some((role) => isCurrent(role, isOpenEnded));
  }

  /** True if one of the roles lasts from the first instant to the second, or if there is none. */
  #cover(roles: readonly Resource<'PractitionerRole'>[], from: Instant, until: Instant): boolean {
    const lasts = (period: Period | undefined) =>
      [from, until].every((now) => createIsInForce({ now }, this.#context.zone)(period));
    return roles.length === 0 || roles.some((role) => isCurrent(role, lasts));
  }
}

type ServiceType = NonNullable<FhirSchedule['serviceType']>[number];

const isActive = ({ active }: FhirSchedule): boolean => active !== false;
