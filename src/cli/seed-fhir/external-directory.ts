import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import type { DirectoryEntry, Provider, WorldFile } from '../../../adapters/memory/world-schema.ts';
import { toConcept, toHumanName, toPosition, toTelecom } from './datatypes.ts';
import type { Context } from './plan.ts';
import type { Seed } from './resource-ids.ts';

/** The organizations that give care at a location of the directory; the first one manages it. */
export const listOrganizations = ({ providers }: DirectoryEntry): readonly Provider[] =>
  providers.filter(({ type }) => type !== 'practitioner');

/** The entry of the directory for a site of the institution: the one with its street and number. */
export function findSiteEntry(
  { address }: WorldFile['locations'][number],
  directory: readonly DirectoryEntry[],
): DirectoryEntry | undefined {
  const street = [address.street, address.number].filter(Boolean).join(' ');
  return directory.find(({ location }) => street !== '' && location.address.startsWith(street));
}

/** A provider of the directory, its entry, and the id of its location. */
interface Listing {
  readonly provider: Provider;
  readonly entry: DirectoryEntry;
  readonly locationId: string;
}

/** The directory, in which a location, a person or a service of the institution has the id that the institution gives it. */
class ExternalDirectory {
  readonly organizations: readonly Listing[];
  readonly practitioners: readonly Listing[];
  /** Entries whose location is not of the institution. */
  readonly entries: readonly DirectoryEntry[];
  readonly #world: WorldFile;

  constructor(world: WorldFile) {
    const { locations, directory } = world;
    this.#world = world;
    const siteIds = new Map(locations.map((site) => [findSiteEntry(site, directory), site.id]));
    const getLocationId = (entry: DirectoryEntry) => siteIds.get(entry) ?? entry.location.id;
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
  { location }: DirectoryEntry,
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
