import type { Identifier, PatientChanges, PatientRegistration } from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/ports/omit-undefined.ts';
import { toFhirAddress } from '../datatypes/address.ts';
import { formatFamilyName, formatGivenNames, pickEmail, pickName, pickPhone } from '../datatypes/human-name.ts';
import { type FhirIdentifier, findCode, type HumanName, type Telecom } from '../schema/datatypes.ts';
import type { Draft, Resource } from '../schema/resources.ts';
import { type Codes, genderCode, hl7 } from '../schema/terminology.ts';
import { documentKinds, toFhirIdentifier, toIdentifierType } from './identifiers.ts';

type FhirPatient = Resource<'Patient'>;

/** The number of the clinical record: of the institution's own system, else of any that is typed so; empty when none. */
export function getMedicalRecordNumber({ identifier = [] }: FhirPatient, codes: Codes): string {
  const own = identifier.find(({ system = '', value }) => value && codes.mrn.includes(system));
  return (own ?? identifier.find((each) => each.value && isMedicalRecordNumber(each, codes)))?.value ?? '';
}

/** A new patient with what is known of the person. */
export function toFhirPatient(person: PatientRegistration, codes: Codes): Draft<'Patient'> {
  return {
    resourceType: 'Patient',
    active: true,
    ...toElements({ identifier: [] }, person, codes),
  };
}

/** The patient with the changes and everything else as it was. */
export const applyChanges = (patient: FhirPatient, changes: PatientChanges, codes: Codes): FhirPatient => ({
  ...patient,
  ...toElements(patient, changes, codes),
});

type Elements = Partial<Pick<FhirPatient, 'identifier' | 'name' | 'telecom' | 'gender' | 'birthDate' | 'address'>>;

function toElements(before: Elements, changes: PatientChanges, codes: Codes): Elements {
  const { identifier, medicalRecordId, name, lastName, phone, email, gender, birthDate, address } = changes;
  let identifiers = before.identifier ?? [];
  if (identifier) {
    identifiers = withDocument(identifiers, identifier, codes);
  }
  if (medicalRecordId !== undefined) {
    const type = { coding: [{ system: hl7.identifierType, code: 'MR' }] };
    const next = { type, system: codes.mrn[0], value: medicalRecordId };
    identifiers = replaceFirst(
      identifiers,
      (each) => isMedicalRecordNumber(each, codes),
      medicalRecordId === '' ? undefined : next,
    );
  }
  let telecom = before.telecom ?? [];
  if (phone !== undefined) telecom = withTelecom(telecom, pickPhone(telecom), { system: 'phone', value: phone });
  if (email !== undefined) telecom = withTelecom(telecom, pickEmail(telecom), { system: 'email', value: email });
  const newName = name !== undefined || lastName !== undefined;
  return omitUndefined({
    identifier: identifier || medicalRecordId !== undefined ? identifiers : undefined,
    telecom: phone !== undefined || email !== undefined ? telecom : undefined,
    name: newName ? withName(before.name ?? [], name, lastName) : undefined,
    gender: gender && genderCode[gender],
    birthDate,
    address: address && [
      toFhirAddress(address),
      ...(before.address ?? []).filter(({ use = 'home' }) => use !== 'home'),
    ],
  });
}

const isMedicalRecordNumber = ({ system = '', type }: FhirIdentifier, codes: Codes): boolean =>
  codes.mrn.includes(system) || findCode(type && [type], hl7.identifierType) === 'MR';

/**
 * The new document instead of the old one of its kind. Documents of kinds that would be shown before it stay on record as
 * secondary ones.
 */
function withDocument(all: readonly FhirIdentifier[], document: Identifier, codes: Codes): FhirIdentifier[] {
  const preferred = documentKinds.slice(0, documentKinds.indexOf(document.type));
  const others = all.map((each) => {
    const kind = toIdentifierType(each, codes);
    return kind && preferred.includes(kind) ? { ...each, use: 'secondary' } : each;
  });
  const isOld = (each: FhirIdentifier) =>
    toIdentifierType(each, codes) === document.type &&
    (document.type !== 'Other' || codes.other.includes(each.system ?? ''));
  return replaceFirst(others, isOld, toFhirIdentifier(document, codes));
}

/** With the first that fits exchanged in its place, or the new one at the end; without it when there is no new one. */
function replaceFirst<T>(list: readonly T[], fits: (each: T) => boolean, next: T | undefined): T[] {
  const at = list.findIndex(fits);
  const addition = next === undefined ? [] : [next];
  return at < 0 ? [...list, ...addition] : list.toSpliced(at, 1, ...addition);
}

/** An empty value takes the telephone or the address away. */
const withTelecom = (all: readonly Telecom[], old: Telecom | undefined, next: Telecom): Telecom[] =>
  replaceFirst(all, (each) => each === old, next.value === '' ? undefined : { ...old, ...next });

function withName(names: readonly HumanName[], given: string | undefined, family: string | undefined): HumanName[] {
  const old = pickName(names);
  const first = given ?? formatGivenNames(old);
  const last = family ?? formatFamilyName(old);
  const { _family, ...kept } = old ?? {};
  const next = {
    use: 'official',
    ...kept,
    // The halves of an old family name would contradict a new one.
    ...(family === undefined && _family !== undefined && { _family }),
    text: [first, last].filter(Boolean).join(' '),
    given: first.split(/\s+/).filter(Boolean),
    family: last,
  };
  const name = omitUndefined({
    ...next,
    given: next.given.length > 0 ? next.given : undefined,
    family: last === '' ? undefined : last,
    text: next.text === '' ? undefined : next.text,
  });
  return replaceFirst(names, (each) => each === old, name);
}
