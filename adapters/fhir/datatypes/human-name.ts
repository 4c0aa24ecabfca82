import { findExtension, type HumanName, parseReferenceId, type Reference, type Telecom } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import type { Settings } from '../settings.ts';

const bestFirst = ['official', 'usual'];

/** The name to use of several: official, then usual, then any that is not old. */
export function pickName(names: readonly HumanName[] | undefined): HumanName | undefined {
  const current = (names ?? []).filter(({ use }) => use !== 'old');
  return bestFirst.map((wanted) => current.find(({ use }) => use === wanted)).find(Boolean) ?? current[0];
}

export const formatGivenNames = (name: HumanName | undefined): string =>
  (name?.given ?? []).filter((each) => each !== null).join(' ');

/** The family name; where only its halves are stored, father’s before mother’s. */
export function formatFamilyName(name: HumanName | undefined): string {
  if (name?.family !== undefined) return [name.family].flat().join(' ');
  const halves = [hl7.fathersFamily, hl7.mothersFamily].map((url) => findExtension(name?._family, url)?.valueString);
  return halves.filter(Boolean).join(' ');
}

/** A practitioner as people call one. */
export function formatPractitionerName(
  names: readonly HumanName[] | undefined,
  order: Settings['practitionerName'],
): string {
  const name = pickName(names);
  if (order === 'text' && name?.text) return name.text;
  const prefix = (name?.prefix ?? []).filter((each) => each !== null).join(' ');
  const both =
    order === 'family-first'
      ? [formatFamilyName(name), formatGivenNames(name)]
      : [formatGivenNames(name), formatFamilyName(name)];
  return [prefix, ...both].filter(Boolean).join(' ') || (name?.text ?? '');
}

const phoneOrder = ['mobile', 'home'];

/** The telephone to use of several: mobile, then home, then any; of those the one with the lowest rank. */
export function pickPhone(telecoms: readonly Telecom[] | undefined): Telecom | undefined {
  const phones = current(telecoms, 'phone').toSorted((a, b) => (a.rank ?? 99) - (b.rank ?? 99));
  return phoneOrder.map((wanted) => phones.find(({ use }) => use === wanted)).find(Boolean) ?? phones[0];
}

export const pickEmail = (telecoms: readonly Telecom[] | undefined): Telecom | undefined =>
  current(telecoms, 'email')[0];

const current = (telecoms: readonly Telecom[] | undefined, kind: string): Telecom[] =>
  (telecoms ?? []).filter(({ system, use, value }) => system === kind && use !== 'old' && value);

/** The first that is a person: a general practitioner may be an organization too. */
export const getMainPractitionerId = ({ generalPractitioner = [] }: Resource<'Patient'>): Reference | undefined =>
  generalPractitioner.find(
    (each) => parseReferenceId(each, 'Practitioner') ?? parseReferenceId(each, 'PractitionerRole'),
  );
