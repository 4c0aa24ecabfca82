import type {
  Call,
  Directory,
  DirectoryEntry,
  DirectoryLocation,
  DirectoryProvider,
  Phone,
} from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import { isOpen, LocationHierarchy } from '../location-hierarchy.ts';
import { formatPractitionerName, formatSpecialty, isCurrent, toUnregistered } from '../practitioners/read.ts';
import { type SearchResult, toRows } from '../rest/search-result.ts';
import { type Concept, findCode, parseReferenceId, type Reference, type Telecom } from '../schema/datatypes.ts';
import {
  createIsInForce,
  formatAddress,
  getPractitionerId,
  type IsInForce,
  listCurrent,
  pickEmail,
  toAddress,
} from '../schema/read.ts';
import type { FhirLocation, FhirRole, Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';

type Services = readonly Resource<'HealthcareService'>[];

/** Returns true if a role or a service is at a place or in a part of it. */
type IsHere = (each: FhirRole | Services[number]) => boolean;

/** `Location`s, with the organizations and practitioners that work there. */
export function createDirectory(context: FhirContext): Directory {
  const { catalogue, zone } = context;
  return {
    async locations(call) {
      const places = await catalogue.locations.get(call);
      const { sites } = new LocationHierarchy(places.matches);
      const toLocation = ({ id, name = '', address }: FhirLocation) => ({ id, name, address: toAddress(address) });
      return toRows(places, sites, toLocation, call);
    },

    async entries(call) {
      const [places, roles, services] = await Promise.all([
        catalogue.locations.get(call),
        catalogue.roles.get(call),
        catalogue.services.get(call),
      ]);
      const active = services.matches.filter((service) => service.active !== false);
      const isInForce = createIsInForce(call, zone);
      const hierarchy = new LocationHierarchy(places.matches);
      const toEntry = (place: FhirLocation): DirectoryEntry => {
        const isHere: IsHere = ({ location = [] }) =>
          location.some((each) => hierarchy.isWithin(parseReferenceId(each, 'Location') ?? '', place.id));
        return {
          location: toDirectoryLocation(place, isInForce),
          providers: [
            ...listOrganization(place, places, active.filter(isHere), isInForce),
            ...listPractitioners({ isHere, roles, services: active }, context, call),
          ],
        };
      };
      const shown = places.matches.filter((place) => isOpen(place) && place.partOf === undefined);
      return toRows(places, shown, toEntry, call);
    },
  };
}

/** The roles and services of an institution, and a test for those at a place. */
interface Staff {
  readonly isHere: IsHere;
  readonly roles: SearchResult<'PractitionerRole'>;
  readonly services: Services;
}

function listPractitioners({ isHere, roles, services }: Staff, context: FhirContext, call: Call): DirectoryProvider[] {
  const isInForce = createIsInForce(call, context.zone);
  const here = roles.matches.filter((role) => isCurrent(role, isInForce) && isHere(role));
  const people = Map.groupBy(
    here.flatMap((role) => toPerson(role, roles, context, call) ?? []),
    ({ id, name }) => id || JSON.stringify(name),
  );
  return [...people.values()].flatMap((same) => {
    const [{ id, name, person } = { id: '', name: '', person: undefined }] = same;
    if (person?.active === false) return [];
    const own = same.map(({ role }) => role);
    const telecom = [...own.flatMap(({ telecom = [] }) => telecom), ...(person?.telecom ?? [])];
    const given = services.filter((service) =>
      own.some(({ healthcareService }) => includesReference(healthcareService, 'HealthcareService', service.id)),
    );
    return {
      id,
      name,
      description: formatSpecialty(own, person),
      type: 'practitioner' as const,
      ...toContact(telecom, isInForce),
      services: given.map(toService),
    };
  });
}

/** The person of the role. The id is empty if only the name is known. */
function toPerson(role: FhirRole, roles: SearchResult<'PractitionerRole'>, context: FhirContext, call: Call) {
  const { settings, zone } = context;
  const id = getPractitionerId(role);
  const person = roles.resolve(role.practitioner, 'Practitioner');
  if (id === undefined) {
    const named = toUnregistered(role.practitioner, role, context, call);
    return named && { ...named, role, person };
  }
  const name = formatPractitionerName(person?.name, settings.practitionerName, createIsInForce(call, zone));
  return { id, name: name || (role.practitioner?.display ?? ''), role, person };
}

function listOrganization(
  place: FhirLocation,
  places: SearchResult<'Location'>,
  services: Services,
  isInForce: IsInForce,
): DirectoryProvider[] {
  const owner = places.resolve(place.managingOrganization, 'Organization');
  if (!owner || owner.active === false) return [];
  const isPharmacy = [...(owner.type ?? []), ...(place.type ?? [])].some(isPharmacyType);
  return [
    {
      id: owner.id,
      name: owner.name ?? '',
      description: '',
      type: isPharmacy ? 'pharmacy' : 'clinic',
      ...toContact(owner.telecom, isInForce),
      services: services.map(toService),
    },
  ];
}

const isPharmacyType = (type: Concept): boolean => ['PHARM', 'OUTPHARM'].includes(findCode(type, hl7.roleCode) ?? '');

const includesReference = (references: readonly Reference[] | undefined, type: string, id: string): boolean =>
  (references ?? []).some((each) => parseReferenceId(each, type) === id);

const toService = ({ id, name = '', comment = '' }: Services[number]) => ({ id, name, description: comment });

/** Private contacts are the fallback. */
function toContact(telecom: readonly Telecom[] = [], isInForce: IsInForce): { email: string; phones: Phone[] } {
  const atWork = telecom.filter(({ use }) => use !== 'home');
  const phones = [atWork, telecom]
    .map((each) => listCurrent(each, 'phone', isInForce))
    .find(({ length }) => length > 0);
  return {
    email: (pickEmail(atWork, isInForce) ?? pickEmail(telecom, isInForce))?.value ?? '',
    phones: (phones ?? []).map(({ use, value = '' }) => ({
      type: use === 'mobile' ? 'cell-phone' : 'phone',
      value,
    })),
  };
}

function toDirectoryLocation(
  { id, name = '', position, address, telecom }: FhirLocation,
  isInForce: IsInForce,
): DirectoryLocation {
  return {
    id,
    name,
    latitude: String(position?.latitude ?? ''),
    longitude: String(position?.longitude ?? ''),
    address: formatAddress(address),
    zipCode: address?.postalCode ?? '',
    ...toContact(telecom, isInForce),
  };
}
