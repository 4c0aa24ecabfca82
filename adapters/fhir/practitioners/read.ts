import type { Call, Practitioner } from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import { isWithin } from '../datatypes/dates.ts';
import { formatFamilyName, formatGivenNames, pickEmail, pickName, pickPhone } from '../datatypes/person.ts';
import type { SearchResult } from '../rest/bundle.ts';
import { formatConcept, type HumanName, parseReferenceId, type Reference } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import type { Settings } from '../settings.ts';
import { formatWorkingHours } from './working-hours.ts';

type FhirPractitioner = Resource<'Practitioner'>;
type Role = Resource<'PractitionerRole'>;

/** @param all the roles of everybody, with their places. */
export function toPractitioner(
  person: FhirPractitioner,
  all: SearchResult<'PractitionerRole'>,
  { settings, zone }: FhirContext,
  call: Call,
): Practitioner {
  const own = all.matches.filter((role) => getPractitionerId(role) === person.id);
  const current = own.filter(({ active, period }) => active !== false && isWithin(period, call.now, zone));
  const roles = current.length > 0 ? current : own;
  const telecom = [...roles.flatMap(({ telecom = [] }) => telecom), ...(person.telecom ?? [])];
  const places = roles.flatMap(({ location = [] }) =>
    location.map((each) => all.resolve(each, 'Location')?.name ?? each.display ?? ''),
  );
  const isAway = ({ notAvailable = [] }: Role) =>
    notAvailable.some(({ during }) => during !== undefined && isWithin(during, call.now, zone));
  return {
    id: person.id,
    name: formatPractitionerName(person.name, settings.practitionerName),
    specialty: formatSpecialty(roles, person),
    email: pickEmail(telecom)?.value ?? '',
    phone: pickPhone(telecom)?.value ?? '',
    workingHours: formatWorkingHours(roles),
    location: listDistinct(places).join('; '),
    available: person.active !== false && (own.length === 0 || current.some((role) => !isAway(role))),
  };
}

/** The specialties of the roles, else the qualifications of the person. */
export function formatSpecialty(roles: readonly Role[], person: FhirPractitioner | undefined): string {
  const specialties = roles.flatMap(({ specialty = [] }) => specialty.map(formatConcept));
  const trained = (person?.qualification ?? []).map(({ code }) => formatConcept(code));
  return listDistinct(specialties.some(Boolean) ? specialties : trained).join(', ');
}

const listDistinct = (words: readonly string[]): string[] => [...new Set(words.filter(Boolean))];

/** A practitioner’s name in the order that the institution uses. */
export function formatPractitionerName(
  names: readonly HumanName[] | undefined,
  order: Settings['practitionerName'],
): string {
  const name = pickName(names);
  if (order === 'text' && name?.text) return name.text;
  const prefix = (name?.prefix ?? []).filter((each) => each !== null).join(' ');
  const both = [formatGivenNames(name), formatFamilyName(name)];
  return (
    [prefix, ...(order === 'family-first' ? both.toReversed() : both)].filter(Boolean).join(' ') || (name?.text ?? '')
  );
}

/** The id of the practitioner who has the role. */
export const getPractitionerId = ({ practitioner }: Role): string | undefined =>
  parseReferenceId(practitioner, 'Practitioner');

/** The first general practitioner who is a person; it may be an organization too. */
export const getMainPractitioner = ({ generalPractitioner = [] }: Resource<'Patient'>): Reference | undefined =>
  generalPractitioner.find(
    (each) => parseReferenceId(each, 'Practitioner') ?? parseReferenceId(each, 'PractitionerRole'),
  );
