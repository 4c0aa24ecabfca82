import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import type {
  Provider,
  Schedule,
  Service,
  WorldDirectoryEntry,
  WorldFile,
} from '../../../adapters/memory/world-file.ts';
import {
  type Context,
  type Seed,
  toAddress,
  toConcept,
  toCreatedAt,
  toHumanName,
  toPosition,
  toTelecom,
} from './plan.ts';

/** The institution itself, and the others that have contracts with carriers. */
export function buildInstitutions({ world }: Context): Seed<'Organization'>[] {
  const { institution, carriers, directory } = world;
  const contact = directory.flatMap(listOrganizations).find(({ name }) => name === institution.name);
  const ids = new Set([institution.id, ...carriers.flatMap(({ owners }) => owners)]);
  return [...ids].map((id) => {
    const isOwn = id === institution.id;
    return {
      id,
      resource: {
        resourceType: 'Organization',
        active: true,
        type: [toConcept(hl7.organizationType, 'prov')],
        name: isOwn ? institution.name : id,
        ...(isOwn && contact && toTelecom(contact.email, contact.phones)),
      },
    };
  });
}

/** The sites of the institution, with what the directory knows of them. */
export const buildLocations = ({ world, ids }: Context): Seed<'Location'>[] =>
  world.locations.map((site) => {
    const { institution, directory } = world;
    const entry = findSiteEntry(site, directory);
    const manager = entry && listOrganizations(entry)[0];
    const managerId = manager && manager.name !== institution.name ? manager.id : institution.id;
    return {
      id: site.id,
      resource: {
        resourceType: 'Location',
        status: 'active',
        name: site.name,
        ...(entry && toTelecom(entry.location.email, entry.location.phones)),
        address: toAddress(site.address, 'work'),
        physicalType: toConcept(hl7.physicalType, 'si'),
        ...(entry && toPosition(entry.location)),
        managingOrganization: ids.refer('Organization', managerId),
      },
    };
  });

export const buildPractitioners = ({ world }: Context): Seed<'Practitioner'>[] =>
  world.practitioners.map(({ id, name }) => ({
    id,
    resource: { resourceType: 'Practitioner', active: true, name: [toHumanName(name)] },
  }));

export const buildServices = (context: Context): Seed<'HealthcareService'>[] =>
  context.world.services.map((service) => toHealthcareService(service, context));

/** The code by which schedules, slots and appointments name a service. */
export const getServiceCode = ({ integrationId, id }: Service): string => integrationId || id;

function toHealthcareService(service: Service, context: Context): Seed<'HealthcareService'> {
  const { codes, world, ids } = context;
  const { institution } = world;
  const schedules = world.schedules.filter(({ serviceId }) => serviceId === service.id);
  const isVirtual = schedules.length > 0 && schedules.every(({ modality }) => modality === 'virtual');
  const locations = findLocations(service.offeredIn, schedules, world);
  return {
    id: service.id,
    resource: {
      resourceType: 'HealthcareService',
      extension: [toCreatedAt(service.created, context), ...toExtensions(service, context)],
      identifier: [{ system: codes.sid('integration'), value: getServiceCode(service) }],
      active: service.active,
      providedBy: { ...ids.refer('Organization', institution.id), display: institution.name },
      category: [toConcept(codes.system('hcs-kind'), service.type)],
      type: [toConcept(codes.system('hcs'), getServiceCode(service), service.name)],
      ...(locations.length > 0 && { location: locations.map((id) => ids.refer('Location', id)) }),
      name: service.name,
      ...(service.description !== '' && { comment: service.description }),
      ...(service.extraDetails !== '' && { extraDetails: service.extraDetails }),
      ...(service.plans && { program: service.plans.map((plan) => toConcept(codes.system('plan'), plan)) }),
      ...(isVirtual && { characteristic: [toConcept(hl7.actCode, 'VR')] }),
      appointmentRequired: service.appointmentRequired,
      ...(service.availabilityExceptions !== null && { availabilityExceptions: service.availabilityExceptions }),
    },
  };
}

function toExtensions(service: Service, { codes, ids }: Context) {
  const { practitionerId, minAge, maxAge, sex, patientInstruction, requiresAuthorization } = service;
  const limits = [
    ...(minAge === null ? [] : [{ url: 'minAge', valueInteger: minAge }]),
    ...(maxAge === null ? [] : [{ url: 'maxAge', valueInteger: maxAge }]),
    ...(sex === null ? [] : [{ url: 'sex', valueCode: sex === 'Female' ? 'female' : 'male' }]),
  ];
  return [
    ...(practitionerId === ''
      ? []
      : [{ url: codes.extension('hcs-practitioner'), valueReference: ids.refer('Practitioner', practitionerId) }]),
    ...(patientInstruction === ''
      ? []
      : [{ url: codes.extension('hcs-patient-instruction'), valueMarkdown: patientInstruction }]),
    ...(limits.length === 0 ? [] : [{ url: codes.extension('hcs-eligibility'), extension: limits }]),
    ...(requiresAuthorization ? [{ url: codes.extension('hcs-requires-authorization'), valueBoolean: true }] : []),
  ];
}

/** The role of each practitioner at the institution: specialty, services, locations and hours. */
export const buildRoles = ({ world, ids }: Context): Seed<'PractitionerRole'>[] =>
  world.practitioners.map(({ id, specialty, email, phone, available, location }) => {
    const schedules = world.schedules.filter(({ practitionerId }) => practitionerId === id);
    const locations = findLocations(location, schedules, world);
    const services = new Set([
      ...schedules.map(({ serviceId }) => serviceId),
      ...world.services.filter(({ practitionerId }) => practitionerId === id).map((service) => service.id),
    ]);
    return {
      id,
      resource: {
        resourceType: 'PractitionerRole',
        active: available,
        practitioner: ids.refer('Practitioner', id),
        organization: ids.refer('Organization', world.institution.id),
        ...(specialty !== '' && { specialty: [{ text: specialty }] }),
        ...(locations.length > 0 && { location: locations.map((each) => ids.refer('Location', each)) }),
        ...(services.size > 0 && {
          healthcareService: [...services].map((each) => ids.refer('HealthcareService', each)),
        }),
        ...toTelecom(email, [{ type: 'cell-phone', value: phone }]),
        ...(schedules.length > 0 && { availableTime: schedules.map(toAvailableTime) }),
      },
    };
  });

const daysOfWeek = {
  MONDAY: 'mon',
  TUESDAY: 'tue',
  WEDNESDAY: 'wed',
  THURSDAY: 'thu',
  FRIDAY: 'fri',
  SATURDAY: 'sat',
  SUNDAY: 'sun',
} as const;

const toAvailableTime = ({ days, from, to }: Schedule) => ({
  daysOfWeek: days.map((day) => daysOfWeek[day]),
  availableStartTime: `${from}:00`,
  availableEndTime: `${to}:00`,
});

/** The ids of the locations that the text names, in its order, then of those of the schedules. */
function findLocations(text: string, schedules: readonly Schedule[], { locations }: WorldFile): string[] {
  const named = locations
    .filter(({ name }) => text.includes(name))
    .toSorted((a, b) => text.indexOf(a.name) - text.indexOf(b.name));
  return [...new Set([...named.map(({ id }) => id), ...schedules.map(({ locationId }) => locationId)])];
}

/** The organizations that give care at a location of the directory; the first one manages it. */
const listOrganizations = ({ providers }: WorldDirectoryEntry): readonly Provider[] =>
  providers.filter(({ type }) => type !== 'practitioner');

/** The entry of the directory for a site of the institution: the one with its street and number. */
function findSiteEntry(
  { address }: WorldFile['locations'][number],
  directory: readonly WorldDirectoryEntry[],
): WorldDirectoryEntry | undefined {
  const street = [address.street, address.number].filter(Boolean).join(' ');
  return directory.find(({ location }) => street !== '' && location.address.startsWith(street));
}

/** A provider of the directory, its entry, and the id of its location. */
interface Listing {
  readonly provider: Provider;
  readonly entry: WorldDirectoryEntry;
  readonly locationId: string;
}

/** The directory, in which a location, a person or a service of the institution has the id that the institution gives it. */
class ExternalDirectory {
  readonly organizations: readonly Listing[];
  readonly practitioners: readonly Listing[];
  /** Entries whose location is not of the institution. */
  readonly entries: readonly WorldDirectoryEntry[];
  readonly #world: WorldFile;

  constructor(world: WorldFile) {
    const { locations, directory } = world;
    this.#world = world;
    const siteIds = new Map(locations.map((site) => [findSiteEntry(site, directory), site.id]));
    const getLocationId = (entry: WorldDirectoryEntry) => siteIds.get(entry) ?? entry.location.id;
    this.entries = directory.filter((entry) => !siteIds.has(entry));
    // A location has one managing organization in FHIR; the others get a location with the same address.
    this.organizations = directory.flatMap((entry) =>
      listOrganizations(entry).map((provider, index) => ({
        provider,
        entry,
        locationId: index === 0 ? getLocationId(entry) : provider.id,
      })),
    );
    this.practitioners = directory.flatMap((entry) =>
      entry.providers
        .filter(({ type }) => type === 'practitioner')
        .map((provider) => ({ provider, entry, locationId: getLocationId(entry) })),
    );
  }

  getOrganizationId({ id, name }: Provider): string {
    const { institution } = this.#world;
    return name === institution.name ? institution.id : id;
  }

  getPractitionerId({ id, name }: Provider): string {
    return this.#world.practitioners.find((each) => each.name === name)?.id ?? id;
  }

  getServiceId({ id, name }: Provider['services'][number]): string {
    return this.#world.services.find((each) => each.name === name)?.id ?? id;
  }
}

export function buildExternalOrganizations({ world }: Context): Seed<'Organization'>[] {
  const directory = new ExternalDirectory(world);
  return directory.organizations
    .map(({ provider }) => provider)
    .filter((provider) => directory.getOrganizationId(provider) === provider.id)
    .map(({ id, type, name, email, phones }) => ({
      id,
      resource: {
        resourceType: 'Organization',
        active: true,
        type: [type === 'pharmacy' ? toConcept(hl7.roleCode, 'OUTPHARM') : toConcept(hl7.organizationType, 'prov')],
        name,
        ...toTelecom(email, phones),
      },
    }));
}

export function buildExternalLocations(context: Context): Seed<'Location'>[] {
  const directory = new ExternalDirectory(context.world);
  const others = directory.organizations.filter(({ provider, locationId }) => locationId === provider.id);
  return [
    ...directory.entries.map((entry) =>
      toLocation(entry.location.id, entry, listOrganizations(entry)[0], directory, context),
    ),
    ...others.map(({ provider, entry }) => toLocation(provider.id, entry, provider, directory, context)),
  ];
}

function toLocation(
  id: string,
  { location }: WorldDirectoryEntry,
  manager: Provider | undefined,
  directory: ExternalDirectory,
  { ids }: Context,
): Seed<'Location'> {
  const { name, email, phones } = id === location.id || !manager ? location : manager;
  const { address, zipCode } = location;
  return {
    id,
    resource: {
      resourceType: 'Location',
      status: 'active',
      name,
      ...(manager?.description && { description: manager.description }),
      ...(manager?.type === 'pharmacy' && { type: [toConcept(hl7.roleCode, 'OUTPHARM')] }),
      ...toTelecom(email, phones),
      address: { text: address, ...(zipCode !== '' && { postalCode: zipCode }) },
      ...toPosition(location),
      ...(manager && { managingOrganization: ids.refer('Organization', directory.getOrganizationId(manager)) }),
    },
  };
}

export function buildExternalPractitioners({ world }: Context): Seed<'Practitioner'>[] {
  const directory = new ExternalDirectory(world);
  return directory.practitioners
    .map(({ provider }) => provider)
    .filter((provider) => directory.getPractitionerId(provider) === provider.id)
    .map(({ id, name }) => ({
      id,
      resource: { resourceType: 'Practitioner', active: true, name: [toHumanName(name)] },
    }));
}

/** The services of the directory. Without the institution's code they cannot be booked. */
export function buildExternalServices({ world, ids }: Context): Seed<'HealthcareService'>[] {
  const directory = new ExternalDirectory(world);
  return [...directory.organizations, ...directory.practitioners].flatMap(({ provider, locationId }) =>
    provider.services
      .filter((service) => directory.getServiceId(service) === service.id)
      .map(({ id, name, description }) => ({
        id,
        resource: {
          resourceType: 'HealthcareService',
          active: true,
          ...(provider.type !== 'practitioner' && {
            providedBy: ids.refer('Organization', directory.getOrganizationId(provider)),
            location: [ids.refer('Location', locationId)],
          }),
          name,
          ...(description !== '' && { comment: description }),
        },
      })),
  );
}

export function buildExternalRoles({ world, ids }: Context): Seed<'PractitionerRole'>[] {
  const directory = new ExternalDirectory(world);
  return directory.practitioners.map(({ provider, locationId }) => {
    const { id, description, email, phones, services } = provider;
    return {
      id,
      resource: {
        resourceType: 'PractitionerRole',
        active: true,
        practitioner: ids.refer('Practitioner', directory.getPractitionerId(provider)),
        ...(description !== '' && { specialty: [{ text: description }] }),
        location: [ids.refer('Location', locationId)],
        ...(services.length > 0 && {
          healthcareService: services.map((each) => ids.refer('HealthcareService', directory.getServiceId(each))),
        }),
        ...toTelecom(email, phones),
      },
    };
  });
}
