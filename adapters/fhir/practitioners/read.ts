import type { Call, Named, Practitioner } from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import { createIsInForce, type IsInForce, isWithin } from '../datatypes/dates.ts';
import { pickEmail, pickName, pickPhone, toNameParts } from '../datatypes/person.ts';
import type { SearchResult } from '../rest/search-result.ts';
import {
  formatConcept,
  getReferenceType,
  type HumanName,
  parseReferenceId,
  type Reference,
} from '../schema/datatypes.ts';
import { type Container, findContained, type Resource } from '../schema/resources.ts';
import type { Settings } from '../settings.ts';
import { formatWorkingHours } from './working-hours.ts';

type FhirPractitioner = Resource<'Practitioner'>;
type Role = Resource<'PractitionerRole'>;

/**
 * Telephone and mail are the person’s own, else those of the roles; what is private comes last.
 * @param all the roles of everybody, with their places.
 * @param own those of this person.
 */
export function toPractitioner(
  person: FhirPractitioner,
  all: SearchResult<'PractitionerRole'>,
  { settings, zone }: FhirContext,
  call: Call,
  own: readonly Role[] = all.matches.filter((role) => getPractitionerId(role) === person.id),
): Practitioner {
  const isInForce = createIsInForce(call, zone);
  const current = own.filter((role) => isCurrent(role, isInForce));
  const roles = current.length > 0 ? current : own;
  const ofRoles = roles.flatMap(({ telecom = [] }) => telecom);
  const ofPerson = person.telecom ?? [];
  const contacts = [ofPerson.filter(({ use }) => use !== 'home'), ofRoles, ofPerson];
  const places = roles.flatMap(({ location = [] }) =>
    location.map((each) => all.resolve(each, 'Location')?.name ?? each.display ?? ''),
  );
  const isAway = ({ notAvailable = [] }: Role) =>
    notAvailable.some(({ during }) => during !== undefined && isWithin(during, call.now, zone));
  return {
    id: person.id,
    name: formatPractitionerName(person.name, settings.practitionerName, isInForce),
    specialty: formatSpecialty(roles, person),
    email: contacts.map((each) => pickEmail(each, isInForce)?.value).find(Boolean) ?? '',
    phone: contacts.map((each) => pickPhone(each, isInForce)?.value).find(Boolean) ?? '',
    workingHours: formatWorkingHours(roles),
    location: listDistinct(places).join('; '),
    available: person.active !== false && (own.length === 0 || current.some((role) => !isAway(role))),
  };
}

/** Whether the person works in the role today. */
export const isCurrent = ({ active, period }: Role, isInForce: IsInForce): boolean =>
  active !== false && isInForce(period);

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
  isInForce: IsInForce,
): string {
  const name = pickName(names, isInForce);
  if (order === 'text' && name?.text) return name.text;
  const prefix = (name?.prefix ?? []).filter((each) => each !== null).join(' ');
  const { given, family } = toNameParts(name);
  return [prefix, ...(order === 'family-first' ? [family, given] : [given, family])].filter(Boolean).join(' ');
}

/** Who is contained or only said in words, with an empty id; undefined when no name is known. */
export function toUnregistered(
  reference: Reference | undefined,
  owner: Container,
  { settings, zone }: Pick<FhirContext, 'settings' | 'zone'>,
  call: Call,
): Named | undefined {
  const role = findContained(owner, reference, 'PractitionerRole');
  const person = findContained(owner, role?.practitioner ?? reference, 'Practitioner');
  const known = formatPractitionerName(person?.name, settings.practitionerName, createIsInForce(call, zone));
  const name = known || (reference?.display ?? role?.practitioner?.display);
  return name ? { id: '', name } : undefined;
}

/** The id of the practitioner who has the role. */
export const getPractitionerId = ({ practitioner }: Role): string | undefined =>
  parseReferenceId(practitioner, 'Practitioner');

/** The first general practitioner who is a person; it may be an organization too. */
export const getMainPractitioner = ({ generalPractitioner = [] }: Resource<'Patient'>): Reference | undefined =>
  generalPractitioner.find(
    (each) => parseReferenceId(each, 'Practitioner') ?? parseReferenceId(each, 'PractitionerRole'),
  );

/** The first general practitioner whom the patient only names; an organization is no person. */
export const findUnregisteredMain = (
  patient: Resource<'Patient'>,
  context: FhirContext,
  call: Call,
): Named | undefined =>
  (patient.generalPractitioner ?? [])
    .filter((each) => (getReferenceType(patient, each) ?? 'Practitioner') !== 'Organization')
    .flatMap((each) => toUnregistered(each, patient, context, call) ?? [])[0];
