import type { Call, Named, Practitioner } from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import type { SearchResult } from '../rest/search-result.ts';
import {
  formatConcept,
  getReferenceType,
  type HumanName,
  parseReferenceId,
  type Reference,
} from '../schema/datatypes.ts';
import {
  createIsInForce,
  getPractitionerId,
  type IsInForce,
  isWithin,
  pickEmail,
  pickName,
  pickPhone,
  toNameParts,
} from '../schema/read.ts';
import { type Container, type FhirRole, findContained, type Resource } from '../schema/resources.ts';
import type { Settings } from '../settings.ts';

type FhirPractitioner = Resource<'Practitioner'>;

interface Roles {
  /** The roles of all practitioners, with their places. */
  readonly all: SearchResult<'PractitionerRole'>;
  /** The roles of one person. Absent: those among all that name the person. */
  readonly own?: readonly FhirRole[];
}

/** Telephone and mail are the person's own, or those of the roles. Private ones come last. */
export function toPractitioner(
  person: FhirPractitioner,
  { all, own = all.matches.filter((role) => getPractitionerId(role) === person.id) }: Roles,
  { settings, zone }: FhirContext,
  call: Call,
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
  const isAway = ({ notAvailable = [] }: FhirRole) =>
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

/** True if the person works in the role today. */
export const isCurrent = ({ active, period }: FhirRole, isInForce: IsInForce): boolean =>
  active !== false && isInForce(period);

/** The specialties of the roles. Without any, the qualifications of the person. */
export function formatSpecialty(roles: readonly FhirRole[], person: FhirPractitioner | undefined): string {
  const specialties = roles.flatMap(({ specialty = [] }) => specialty.map(formatConcept));
  const trained = (person?.qualification ?? []).map(({ code }) => formatConcept(code));
  return listDistinct(specialties.some(Boolean) ? specialties : trained).join(', ');
}

const listDistinct = (words: readonly string[]): string[] => [...new Set(words.filter(Boolean))];

/** A practitioner's name in the institution's order. */
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

/** A contained or named practitioner, with an empty id. Undefined if no name is known. */
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

/** The first general practitioner who is a person, not an organization. */
export const getMainPractitioner = ({ generalPractitioner = [] }: Resource<'Patient'>): Reference | undefined =>
  generalPractitioner.find(
    (each) => parseReferenceId(each, 'Practitioner') ?? parseReferenceId(each, 'PractitionerRole'),
  );

/** The first general practitioner with only a name, unless it is an organization. */
export const findUnregisteredMain = (
  patient: Resource<'Patient'>,
  context: FhirContext,
  call: Call,
): Named | undefined =>
  (patient.generalPractitioner ?? [])
    .filter((each) => (getReferenceType(patient, each) ?? 'Practitioner') !== 'Organization')
    .flatMap((each) => toUnregistered(each, patient, context, call) ?? [])[0];

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const words = ['Lun', 'Mar', 'Mié', 'Jue', 'Vie', 'Sáb', 'Dom'] as const;

/** The working hours as text, e.g. `Lun-Vie: 09:00-12:00; Mar, Jue: 15:00-18:00; Sáb: desde 08:00`. */
export function formatWorkingHours(roles: readonly FhirRole[]): string {
  const daysOf = new Map<string, Set<number>>();
  for (const { availableTime = [] } of roles) {
    for (const { daysOfWeek = [...days], allDay, availableStartTime = '', availableEndTime = '' } of availableTime) {
      const hours = allDay ? '24h' : formatHours(availableStartTime.slice(0, 5), availableEndTime.slice(0, 5));
      const named = daysOfWeek.flatMap((day) => day ?? []);
      if (hours === '' || named.length === 0) continue;
      const known = daysOf.get(hours) ?? new Set();
      for (const day of named) known.add(days.indexOf(day));
      daysOf.set(hours, known);
    }
  }
  const regular = [...daysOf].map(([hours, set]) => `${formatDays([...set].toSorted())}: ${hours}`);
  const exceptions = roles.flatMap(({ availabilityExceptions }) => availabilityExceptions ?? []);
  return [...regular, ...new Set(exceptions)].join('; ');
}

/** Formats hours of which only one end may be known. Empty if neither is known. */
const formatHours = (from: string, to: string): string =>
  from && to ? `${from}-${to}` : from ? `desde ${from}` : to && `hasta ${to}`;

/** Formats three or more consecutive days as a range. */
function formatDays(sorted: readonly number[]): string {
  const spans: [number, number][] = [];
  for (const day of sorted) {
    const last = spans.at(-1);
    if (last && last[1] === day - 1) last[1] = day;
    else spans.push([day, day]);
  }
  return spans
    .flatMap(([from, to]) => (to - from >= 2 ? [`${words[from]}-${words[to]}`] : words.slice(from, to + 1)))
    .join(', ');
}
