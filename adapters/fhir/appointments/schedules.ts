import type { Call, Modality } from '../../../src/ports/index.ts';
import { addDays } from '../../../src/toolkit/zone.ts';
import { isBookable } from '../../common/booking.ts';
import { getServiceCode, isAvailable, isVirtual } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import { isOpen, readHierarchy } from '../location-hierarchy.ts';
import { getPractitionerId, isCurrent } from '../practitioners/read.ts';
import { findCode, findExtension, parseReferenceId, type Reference, toReference } from '../schema/datatypes.ts';
import { createIsInForce } from '../schema/read.ts';
import type { Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
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
