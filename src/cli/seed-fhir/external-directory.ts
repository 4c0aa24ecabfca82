import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import type { DirectoryEntry, Hospital, Provider } from './hospital.ts';
import type { Context, Seed, Step } from './plan.ts';
import { concept, humanName, telecom, toPosition } from './terms.ts';

/** The organizations that give care at a place of the directory; the first one runs it. */
export const listOrganizations = ({ providers }: DirectoryEntry): readonly Provider[] =>
  providers.filter(({ type }) => type !== 'practitioner');

/** What the directory says of a site of the institution: the entry with its street and number. */
export function siteEntry(
  { address }: Hospital['locations'][number],
  directory: readonly DirectoryEntry[],
): DirectoryEntry | undefined {
  const street = [address.street, address.number].filter(Boolean).join(' ');
  return directory.find(({ location }) => street !== '' && location.address.startsWith(street));
}

/** A provider of the directory, the place where it is to be found, and the entry that names both. */
interface Listing {
  readonly provider: Provider;
  readonly place: string;
  readonly entry: DirectoryEntry;
}

/** One place is one Location and one person one Practitioner, also where the directory has an id of its own for them. */
class Listings {
  readonly organizations: readonly Listing[];
  readonly people: readonly Listing[];
  /** Entries whose place is none of the institution's. */
  readonly places: readonly DirectoryEntry[];
  readonly #hospital: Hospital;

  constructor(hospital: Hospital) {
    this.#hospital = hospital;
    const siteOf = new Map(hospital.locations.map((site) => [siteEntry(site, hospital.directory), site.id]));
    const placeOf = (entry: DirectoryEntry) => siteOf.get(entry) ?? entry.location.id;
    this.places = hospital.directory.filter((entry) => !siteOf.has(entry));
    // A place has one manager in FHIR; whoever else works there gets a place of the same address.
    this.organizations = hospital.directory.flatMap((entry) =>
      listOrganizations(entry).map((provider, index) => ({
        provider,
        entry,
        place: index === 0 ? placeOf(entry) : provider.id,
      })),
    );
    this.people = hospital.directory.flatMap((entry) =>
      entry.providers
        .filter(({ type }) => type === 'practitioner')
        .map((provider) => ({ provider, entry, place: placeOf(entry) })),
    );
  }

  findOrganization({ id, name }: Provider): string {
    const { institution } = this.#hospital;
    return name === institution.name ? institution.id : id;
  }

  findPractitioner({ id, name }: Provider): string {
    return this.#hospital.practitioners.find((each) => each.name === name)?.id ?? id;
  }

  findService({ id, name }: Provider['services'][number]): string {
    return this.#hospital.services.find((each) => each.name === name)?.id ?? id;
  }
}

/** Organizations around the institution, before the places that they run. */
export function listExternalDirectory({ hospital }: Context): Step {
  const listings = new Listings(hospital);
  const seeds = listings.organizations
    .map(({ provider }) => provider)
    .filter((provider) => listings.findOrganization(provider) === provider.id)
    .map(
      (provider): Seed => ({
        type: 'Organization',
        name: provider.id,
        elements: () => ({
          active: true,
          type: [
            provider.type === 'pharmacy' ? concept(hl7.roleCode, 'OUTPHARM') : concept(hl7.organizationType, 'prov'),
          ],
          name: provider.name,
          ...telecom(provider.email, provider.phones),
        }),
      }),
    );
  return { title: 'organizations around it', seeds };
}

/** Where they are, who works there, and what they do; nobody can book any of it at the institution. */
export function listExternalOrganizations({ hospital }: Context): Step[] {
  const listings = new Listings(hospital);
  const others = listings.organizations.filter(({ provider, place }) => place === provider.id);
  const places = [
    ...listings.places.map((entry) => toLocation(entry.location.id, entry, listOrganizations(entry)[0], listings)),
    ...others.map(({ provider, entry }) => toLocation(provider.id, entry, provider, listings)),
  ];
  const strangers = listings.people.filter(({ provider }) => listings.findPractitioner(provider) === provider.id);
  const people = strangers.map(
    ({ provider }): Seed => ({
      type: 'Practitioner',
      name: provider.id,
      elements: () => ({ active: true, name: [humanName(provider.name)] }),
    }),
  );
  const services = [...listings.organizations, ...listings.people].flatMap((listing) =>
    listing.provider.services
      .filter((service) => listings.findService(service) === service.id)
      .map((service) => toService(service, listing, listings)),
  );
  const roles = listings.people.map((listing) => toRole(listing, listings));
  return [
    { title: 'places around it', seeds: places },
    { title: 'practitioners around it', seeds: people },
    { title: 'services around it', seeds: services },
    { title: 'roles around it', seeds: roles },
  ];
}

function toLocation(id: string, entry: DirectoryEntry, manager: Provider | undefined, listings: Listings): Seed {
  const isMain = id === entry.location.id;
  const { name, email, phones } = isMain || !manager ? entry.location : manager;
  const { address, zipCode } = entry.location;
  return {
    type: 'Location',
    name: id,
    elements: (known) => ({
      status: 'active',
      name,
      ...(manager?.description && { description: manager.description }),
      ...(manager?.type === 'pharmacy' && { type: [concept(hl7.roleCode, 'OUTPHARM')] }),
      ...telecom(email, phones),
      address: { text: address, ...(zipCode !== '' && { postalCode: zipCode }) },
      ...toPosition(entry.location),
      ...(manager && { managingOrganization: known.to('Organization', listings.findOrganization(manager)) }),
    }),
  };
}

function toService(service: Provider['services'][number], { provider, place }: Listing, listings: Listings): Seed {
  return {
    type: 'HealthcareService',
    name: service.id,
    elements: (known) => ({
      active: true,
      ...(provider.type !== 'practitioner' && {
        providedBy: known.to('Organization', listings.findOrganization(provider)),
        location: [known.to('Location', place)],
      }),
      name: service.name,
      ...(service.description !== '' && { comment: service.description }),
    }),
  };
}

function toRole({ provider, place }: Listing, listings: Listings): Seed {
  const { id, description, email, phones, services } = provider;
  return {
    type: 'PractitionerRole',
    name: id,
    elements: (known) => ({
      active: true,
      practitioner: known.to('Practitioner', listings.findPractitioner(provider)),
      ...(description !== '' && { specialty: [{ text: description }] }),
      location: [known.to('Location', place)],
      ...(services.length > 0 && {
        healthcareService: services.map((service) => known.to('HealthcareService', listings.findService(service))),
      }),
      ...telecom(email, phones),
    }),
  };
}
