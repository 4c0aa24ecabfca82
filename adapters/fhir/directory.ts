import {
  type Call,
  Directory,
  type DirectoryEntry,
  type DirectoryLocation,
  type DirectoryProvider,
  type Location,
  type Phone,
} from '../../src/ports/index.ts';
import type { FhirContext } from './context.ts';
import { isWithin } from './datatypes/dates.ts';
import { formatAddress, listCurrent, pickEmail, toAddress } from './datatypes/person.ts';
import { formatPractitionerName, formatSpecialty, getPractitionerId } from './practitioners/read.ts';
import type { SearchResult } from './rest/bundle.ts';
import { type Concept, findCode, parseReferenceId, type Reference, type Telecom } from './schema/datatypes.ts';
import type { Resource } from './schema/resources.ts';
import { hl7 } from './schema/terminology.ts';

type Place = Resource<'Location'>;
type Services = readonly Resource<'HealthcareService'>[];

/** The physical types of places that patients are sent to: a site and a building, but not a room. */
const sites = ['si', 'bu'];
const pharmacies = ['PHARM', 'OUTPHARM'];

/** `Location`s, with the organizations and practitioners that give care there. */
export class FhirDirectory extends Directory {
  readonly #context: FhirContext;

  constructor(context: FhirContext) {
    super();
    this.#context = context;
  }

  async locations(call: Call): Promise<readonly Location[]> {
    const { matches } = await this.#context.catalogue.locations.get(call);
    const open = matches.filter(isOpen);
    const marked = open.filter(({ physicalType }) => sites.includes(findCode(physicalType, hl7.physicalType) ?? ''));
    // Where no place is marked as a site, the sites are the places that are not part of another.
    const found = marked.length > 0 ? marked : open.filter(({ partOf }) => partOf === undefined);
    return found.map(({ id, name = '', address }) => ({ id, name, address: toAddress(address) }));
  }

  async entries(call: Call): Promise<readonly DirectoryEntry[]> {
    const { catalogue } = this.#context;
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

  #organization(place: Place, places: SearchResult<'Location'>, services: Services): DirectoryProvider[] {
    const owner = places.resolve(place.managingOrganization, 'Organization');
    if (!owner || owner.active === false) return [];
    const isPharmacy = [...(owner.type ?? []), ...(place.type ?? [])].some(isPharmacyType);
    return [
      {
        id: owner.id,
        name: owner.name ?? '',
        description: '',
        type: isPharmacy ? 'pharmacy' : 'clinic',
        ...toContact(owner.telecom),
        services: services.filter(({ location }) => includesReference(location, 'Location', place.id)).map(toService),
      },
    ];
  }

  #practitioners(
    place: Place,
    roles: SearchResult<'PractitionerRole'>,
    services: Services,
    call: Call,
  ): DirectoryProvider[] {
    const { settings, zone } = this.#context;
    const here = roles.matches.filter(
      ({ active, period, location }) =>
        active !== false && isWithin(period, call.now, zone) && includesReference(location, 'Location', place.id),
    );
    return [...Map.groupBy(here, getPractitionerId)].flatMap(([id, own]) => {
      const person = roles.resolve(own[0]?.practitioner, 'Practitioner');
      if (id === undefined || person?.active === false) return [];
      const telecom = [...own.flatMap(({ telecom = [] }) => telecom), ...(person?.telecom ?? [])];
      const given = services.filter((service) =>
        own.some(({ healthcareService }) => includesReference(healthcareService, 'HealthcareService', service.id)),
      );
      return {
        id,
        name: formatPractitionerName(person?.name, settings.practitionerName) || (own[0]?.practitioner?.display ?? ''),
        description: formatSpecialty(own, person),
        type: 'practitioner' as const,
        ...toContact(telecom),
        services: given.map(toService),
      };
    });
  }
}

const isOpen = ({ status }: Place): boolean => (status ?? 'active') === 'active';

const isPharmacyType = (type: Concept): boolean => pharmacies.includes(findCode(type, hl7.roleCode) ?? '');

const includesReference = (references: readonly Reference[] | undefined, type: string, id: string): boolean =>
  (references ?? []).some((each) => parseReferenceId(each, type) === id);

const toService = ({ id, name = '', comment = '' }: Services[number]) => ({ id, name, description: comment });

function toContact(telecom: readonly Telecom[] | undefined): { email: string; phones: Phone[] } {
  return {
    email: pickEmail(telecom)?.value ?? '',
    phones: listCurrent(telecom, 'phone').map(({ use, value = '' }) => ({
      type: use === 'mobile' ? 'cell-phone' : 'phone',
      value,
    })),
  };
}

function toDirectoryLocation({ id, name = '', position, address, telecom }: Place): DirectoryLocation {
  return {
    id,
    name,
    latitude: position ? String(position.latitude) : '',
    longitude: position ? String(position.longitude) : '',
    address: formatAddress(address),
    zipCode: address?.postalCode ?? '',
    ...toContact(telecom),
  };
}
