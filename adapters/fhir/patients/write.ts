import { isDeepStrictEqual } from 'node:util';
import type { Identifier as WrittenIdentifier } from '@medplum/fhirtypes';
import { isObject } from '../../../src/http-client/answer-size.ts';
import { omitUndefined } from '../../../src/ports/datatypes.ts';
import {
  type Identifier,
  isSameDocument,
  type PatientChanges,
  type PatientRegistration,
} from '../../../src/ports/index.ts';
import type { FhirAddress, FhirIdentifier, HumanName, Telecom } from '../schema/datatypes.ts';
import type { IsInForce } from '../schema/read.ts';
import {
  type NameParts,
  pickAddress,
  pickEmail,
  pickName,
  pickPhone,
  pickProperName,
  toFhirAddress,
  toNameParts,
} from '../schema/read.ts';
import type { NewResource, Resource } from '../schema/resources.ts';
import { type Codes, genderCode, hl7 } from '../schema/terminology.ts';
import { documentKinds, listDocuments, type PatientContext, pickMedicalRecordNumber, toPatient } from './read.ts';

/** With what the server says of a value itself, such as the hour of the birth, which is taken away with the value. */
type Elements = Pick<NewResource<'Patient'>, 'identifier' | 'name' | 'telecom' | 'gender' | 'birthDate' | 'address'> & {
  readonly _gender?: undefined;
  readonly _birthDate?: undefined;
};
type Fields = Required<PatientRegistration>;

/** How each field changes the elements of a patient; the compiler asks for every field. */
const writers: {
  readonly [Field in keyof Fields]: (value: Fields[Field], before: Elements, context: PatientContext) => Elements;
} = {
  identifier: (document, { identifier = [] }, context) => ({
    identifier: replaceDocument(identifier, document, context),
  }),
  medicalRecordId: (value, { identifier = [] }, context) => ({
    identifier: replaceMedicalRecordNumber(identifier, value, context),
  }),
  name: (given, { name }, { isInForce }) => ({ name: replaceName(name, { given }, isInForce) }),
  lastName: (family, { name }, { isInForce }) => ({ name: replaceName(name, { family }, isInForce) }),
  phone: (value, { telecom }, { isInForce }) => ({
    telecom: replaceTelecom(telecom, pickPhone(telecom, isInForce), { system: 'phone', value }),
  }),
  email: (value, { telecom }, { isInForce }) => ({
    telecom: replaceTelecom(telecom, pickEmail(telecom, isInForce), { system: 'email', value }),
  }),
  gender: (gender) => ({ gender: genderCode[gender], _gender: undefined }),
  birthDate: (birthDate) => ({ birthDate, _birthDate: undefined }),
  address: (next, { address = [] }, { isInForce }) => {
    const shown = pickAddress(address, isInForce);
    return { address: [toFhirAddress(next), ...address.filter((each) => !isReplaced(each, shown, isInForce))] };
  },
};

const fields = Object.keys(writers) as (keyof Fields)[];

/** A new patient from what is known of the person. */
export const toFhirPatient = (person: PatientRegistration, context: PatientContext): NewResource<'Patient'> => ({
  resourceType: 'Patient',
  active: true,
  ...toElements({}, person, context),
});

/** The elements to change; a value that is shown already changes nothing, since what is stored may say more. */
export function toChangedElements(
  patient: Resource<'Patient'>,
  changes: PatientChanges,
  context: PatientContext,
): Elements {
  const shown = toPatient(patient, context);
  const isShown = (field: keyof Fields) => isDeepStrictEqual(omitEmpty(changes[field]), omitEmpty(shown[field]));
  const changed = fields.filter((field) => !isShown(field)).map((field) => [field, changes[field]]);
  return toElements(patient, Object.fromEntries(changed), context);
}

/** Without the parts of an address that are empty: they are as good as absent. */
const omitEmpty = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, part]) => part)) : value;

/** The elements of these fields. */
export function toElements(patient: Elements, changes: PatientChanges, context: PatientContext): Elements {
  const write = <F extends keyof Fields>(written: Elements, field: F): Elements => {
    const value: Partial<Fields>[F] = changes[field];
    return value === undefined
      ? written
      : { ...written, ...writers[field](value, { ...patient, ...written }, context) };
  };
  return fields.reduce<Elements>(write, {});
}

/** Whether the new home address takes its place: former homes and places for letters alone are others. */
const isReplaced = (each: FhirAddress, shown: FhirAddress | undefined, isInForce: IsInForce): boolean =>
  (each.use ?? 'home') === 'home' && isInForce(each.period) && (each.type !== 'postal' || each === shown);

/** The identifier under the first system of its kind. */
export function toFhirIdentifier({ type, value }: Identifier, codes: Codes): WrittenIdentifier & { system: string } {
  const [system = codes.sid('other')] = { DNI: codes.dni, Passport: codes.passport, Other: codes.other }[type];
  const code = { DNI: 'NI', Passport: 'PPN', Other: undefined }[type];
  return {
    use: 'official',
    ...(code && { type: { coding: [{ system: hl7.identifierType, code }] } }),
    system,
    value,
  };
}

/**
 * Replaces the document of its kind that is shown, unless it is the same one, and takes away other entries of that number,
 * so that it no longer finds the patient. What is `old` or has ended stays beside the new one. Those of preferred kinds become
 * secondary, so that the new one is shown.
 */
function replaceDocument(
  all: readonly FhirIdentifier[],
  document: Identifier,
  context: PatientContext,
): FhirIdentifier[] {
  const { codes, isInForce } = context;
  const preferred = documentKinds.slice(0, documentKinds.indexOf(document.type));
  const current = listDocuments(all, context).filter(({ entry }) => entry.use !== 'old');
  const [shown, ...rest] = current.filter(
    ({ type, entry }) =>
      type === document.type &&
      (type !== 'Other' || codes.other.includes(entry.system ?? '')) &&
      isInForce(entry.period),
  );
  const copies = rest.filter((each) => shown && isSameDocument(each, shown) && !isSameDocument(each, document));
  const outranked = current.filter(({ type }) => preferred.includes(type));
  const has = (documents: typeof current, each: FhirIdentifier) => documents.some(({ entry }) => entry === each);
  const given =
    shown?.value === document.value ? { ...shown.entry, use: 'official' } : toFhirIdentifier(document, codes);
  const next = replaceFirst(all, (each) => each === shown?.entry, given);
  return next
    .filter((each) => !has(copies, each))
    .map((each) => (has(outranked, each) ? { ...each, use: 'secondary' } : each));
}

/** Replaces the number that is shown, or removes it; one of a system that is not the institution's stays. */
function replaceMedicalRecordNumber(
  all: readonly FhirIdentifier[],
  value: string,
  context: PatientContext,
): FhirIdentifier[] {
  const { codes } = context;
  const type = { coding: [{ system: hl7.identifierType, code: 'MR' }] };
  const [system = codes.sid('mrn')] = codes.mrn;
  const shown = pickMedicalRecordNumber(all, context);
  const isOurs = !codes.namesOwnRecords || codes.mrn.includes(shown?.system ?? '');
  return replaceFirst(all, (each) => isOurs && each === shown, value === '' ? undefined : { type, system, value });
}

/** Replaces the first entry that fits, or adds one at the end; removes it when `next` is undefined. */
function replaceFirst<T>(list: readonly T[], fits: (each: T) => boolean, next: T | undefined): T[] {
  const at = list.findIndex(fits);
  const addition = next === undefined ? [] : [next];
  return at < 0 ? [...list, ...addition] : list.toSpliced(at, 1, ...addition);
}

/** An empty value removes the telephone or the mail address. */
const replaceTelecom = (all: readonly Telecom[] = [], old: Telecom | undefined, next: Telecom): Telecom[] =>
  replaceFirst(all, (each) => each === old, next.value === '' ? undefined : { ...old, ...next });

/** Changes the name by which the person is called, or adds one beside a maiden name and the like. */
function replaceName(names: readonly HumanName[] = [], changes: Partial<NameParts>, isInForce: IsInForce): HumanName[] {
  const old = pickProperName(names, isInForce);
  const { given, family } = { ...toNameParts(old ?? pickName(names, isInForce)), ...changes };
  const words = given.split(/\s+/).filter(Boolean);
  const name = omitUndefined({
    use: 'official',
    ...old,
    // What is said of the words of an old name, as the halves of a family name, would contradict a new one.
    ...(changes.given !== undefined && { _given: undefined }),
    _family: changes.family === undefined ? old?._family : undefined,
    text: [given, family].filter(Boolean).join(' ') || undefined,
    given: words.length > 0 ? words : undefined,
    family: family || undefined,
  });
  return replaceFirst(names, (each) => each === old, name);
}
