import {
  type Call,
  Directory,
  type DirectoryEntry,
  type DirectoryLocation,
  type DirectoryProvider,
  type Location,
  type Phone,
} from '../../src/ports/index.ts';
import { oneLine, toAddress } from './address.ts';
import type { Backend } from './backend.ts';
import type { Found } from './bundle.ts';
import { hl7 } from './codes.ts';
import { type Concept, codeIn, idOf, type Reference, type Telecom } from './elements.ts';
import { isWithin } from './moments.ts';
import { bestEmail, calledName } from './person.ts';
import { practitionerOf, specialtyOf } from './practitioners.ts';
import type { Resource } from './resources.ts';

type Place = Resource<'Location'>;
type Services = readonly Resource<'HealthcareService'>[];

/** Kinds of place to which patients are sent: a site and a building, but not a room. */
const sites = ['si', 'bu'];
const pharmacies = ['PHARM', 'OUTPHARM'];

/** Where care is given, from `Location`s and who works there. */
export class FhirDirectory extends Directory {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    super();
    this.#backend = backend;
  }

  async locations(call: Call): Promise<readonly Location[]> {
    const { matches } = await this.#backend.catalogue.locations.get(call);
    const open = matches.filter(isOpen);
    const marked = open.filter(({ physicalType }) =>
      sites.includes(codeIn(physicalType && [physicalType], hl7.physicalType) ?? ''),
    );
    // Where the institution does not say which places are sites, those are that are not part of another.
    const found = marked.length > 0 ? marked : open.filter(({ partOf }) => partOf === undefined);
    return found.map(({ id, name = '', address }) => ({ id, name, address: toAddress(address) }));
  }

  async entries(call: Call): Promise<readonly DirectoryEntry[]> {
    const { catalogue } = this.#backend;
    const [places, roles, services] = await Promise.all([
      catalogue.locations.get(call),
      catalogue.roles.get(call),
      catalogue.services.get(call),
    ]);
    const active = services.matches.filter((service) => service.active !== false);
    return places.matches
      .filter((place) => isOpen(place) && place.partOf === undefined)
      .map((place) => ({
        location: toDirectoryLocation(place),
        providers: [...this.#organization(place, places, active), ...this.#practitioners(place, roles, active, call)],
      }));
  }

  #organization(place: Place, places: Found<'Location'>, services: Services): DirectoryProvider[] {
    const owner = places.follow(place.managingOrganization, 'Organization');
    if (!owner || owner.active === false) return [];
    const isPharmacy = [...(owner.type ?? []), ...(place.type ?? [])].some(isPharmacyType);
    return [
      {
        id: owner.id,
        name: owner.name ?? '',
        description: '',
        type: isPharmacy ? 'pharmacy' : 'clinic',
        ...contactOf(owner.telecom),
        services: services.filter(({ location }) => names(location, 'Location', place.id)).map(toService),
      },
    ];
  }

  #practitioners(place: Place, roles: Found<'PractitionerRole'>, services: Services, call: Call): DirectoryProvider[] {
    const { settings, zone } = this.#backend;
    const here = roles.matches.filter(
      ({ active, period, location }) =>
        active !== false && isWithin(period, call.now, zone) && names(location, 'Location', place.id),
    );
    return [...Map.groupBy(here, practitionerOf)].flatMap(([id, own]) => {
      const person = roles.follow(own[0]?.practitioner, 'Practitioner');
      if (id === undefined || person?.active === false) return [];
      const telecom = [...own.flatMap(({ telecom = [] }) => telecom), ...(person?.telecom ?? [])];
      const given = services.filter((service) =>
        own.some(({ healthcareService }) => names(healthcareService, 'HealthcareService', service.id)),
      );
      return {
        id,
        name: calledName(person?.name, settings.practitionerName) || (own[0]?.practitioner?.display ?? ''),
        description: specialtyOf(own, person),
        type: 'practitioner' as const,
        ...contactOf(telecom),
        services: given.map(toService),
      };
    });
  }
}

const isOpen = ({ status }: Place): boolean => (status ?? 'active') === 'active';

const isPharmacyType = (type: Concept): boolean => pharmacies.includes(codeIn([type], hl7.roleCode) ?? '');

const names = (references: readonly Reference[] | undefined, type: string, id: string): boolean =>
  (references ?? []).some((each) => idOf(each, type) === id);

const toService = ({ id, name = '', comment = '' }: Services[number]) => ({ id, name, description: comment });

function contactOf(telecom: readonly Telecom[] | undefined): { email: string; phones: Phone[] } {
  const phones = (telecom ?? []).filter(({ system, use, value }) => system === 'phone' && use !== 'old' && value);
  return {
    email: bestEmail(telecom)?.value ?? '',
    phones: phones.map(({ use, value = '' }) => ({ type: use === 'mobile' ? 'cell-phone' : 'phone', value })),
  };
}

function toDirectoryLocation({ id, name = '', position, address, telecom }: Place): DirectoryLocation {
  return {
    id,
    name,
    latitude: position ? String(position.latitude) : '',
    longitude: position ? String(position.longitude) : '',
    address: oneLine(address),
    zipCode: address?.postalCode ?? '',
    ...contactOf(telecom),
  };
}
