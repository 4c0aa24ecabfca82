import {
  type Identifier,
  type IdentifierType,
  isSameDocument,
  normalizeDocument,
  type Patient,
  type PatientSearch,
} from '../../../src/ports/index.ts';
import { escapeValue, formatToken } from '../rest/query.ts';
import { type FhirIdentifier, findCode } from '../schema/datatypes.ts';
import { type IsInForce, pickAddress, pickEmail, pickName, pickPhone, toAddress, toNameParts } from '../schema/read.ts';
import type { FhirPatient } from '../schema/resources.ts';
import { type Codes, hl7, toGender } from '../schema/terminology.ts';

/** The context for reading and writing patients. */
export interface PatientContext {
  readonly codes: Codes;
  readonly isInForce: IsInForce;
}

export function toPatient(patient: FhirPatient, context: PatientContext): Patient {
  const { isInForce } = context;
  const { birthDate = '', telecom } = patient;
  const name = toNameParts(pickName(patient.name, isInForce));
  return {
    id: patient.id,
    name: name.given,
    lastName: name.family,
    gender: toGender(patient.gender),
    birthDate: birthDate.length === 10 ? birthDate : '',
    identifier: toIdentifier(listDocuments(patient.identifier, context)[0]),
    medicalRecordId: pickMedicalRecordNumber(patient.identifier, context)?.value ?? '',
    phone: pickPhone(telecom, isInForce)?.value ?? '',
    email: pickEmail(telecom, isInForce)?.value ?? '',
    active: patient.active !== false,
    address: toAddress(pickAddress(patient.address, isInForce)),
    ...(patient.meta?.versionId !== undefined && { version: patient.meta.versionId }),
  };
}

/**
 * True if something can be arranged for the patient: the record is in use, and the patient is not marked as deceased.
 */
export const isOpenRecord = ({ active, deceasedBoolean, deceasedDateTime }: FhirPatient): boolean =>
  active !== false && deceasedBoolean !== true && deceasedDateTime === undefined;

export const hasIdentifier = ({ identifier }: FhirPatient, document: Identifier, codes: Codes): boolean =>
  readDocuments(identifier, codes).some((each) => isSameDocument(each, document));

/** True if the patient meets every criterion. */
export function matchesCriteria(patient: FhirPatient, criteria: PatientSearch, codes: Codes): boolean {
  const { identifier, identifierType, birthDate, gender } = criteria;
  const documents = readDocuments(patient.identifier, codes).filter(
    ({ type }) => identifierType === undefined || type === identifierType,
  );
  return (
    ((identifier ?? identifierType) === undefined ||
      documents.some((each) => isSameDocument(each, { type: each.type, value: identifier ?? each.value }))) &&
    (birthDate === undefined || patient.birthDate === birthDate) &&
    (gender === undefined || toGender(patient.gender) === gender)
  );
}

/** The kinds of identity documents, the preferred one first. */
export const documentKinds: readonly IdentifierType[] = ['DNI', 'Passport', 'Other'];

/** The kind of an identity document. Undefined for other identifiers, such as the number of a clinical record. */
function toIdentifierType(identifier: FhirIdentifier, codes: Codes): IdentifierType | undefined {
  const { system = '', type } = identifier;
  if (isMedicalRecordNumber(identifier, codes) || system === codes.sid('seed')) return undefined;
  if (codes.dni.includes(system)) return 'DNI';
  return codes.passport.includes(system) || findCode(type, hl7.identifierType) === 'PPN' ? 'Passport' : 'Other';
}

const isMedicalRecordNumber = ({ system = '', type }: FhirIdentifier, codes: Codes): boolean =>
  codes.mrn.includes(system) || findCode(type, hl7.identifierType) === 'MR';

/**
 * The number of the clinical record. The institution's systems come before the type, and numbers in force before ended
 * ones.
 */
export function pickMedicalRecordNumber(
  identifiers: readonly FhirIdentifier[] = [],
  { codes, isInForce }: PatientContext,
): FhirIdentifier | undefined {
  const countEnded = ({ use, period }: FhirIdentifier): number => Number(use === 'old' || !isInForce(period));
  const numbers = identifiers
    .filter((each) => each.value && isMedicalRecordNumber(each, codes))
    .toSorted((a, b) => countEnded(a) - countEnded(b));
  return numbers.find(({ system = '' }) => codes.mrn.includes(system)) ?? numbers[0];
}

/** An identity document with its identifier entry. */
export interface Document extends Identifier {
  readonly entry: FhirIdentifier;
}

const toIdentifier = ({ type, value }: Identifier = { type: 'Other', value: '' }): Identifier => ({ type, value });

/**
 * The identity documents, best first: DNI, passport, others of a configured system, typed, untyped, secondary or old.
 * Of two equal ones, the one in force comes first. A number stays the person's after the card has expired.
 */
export function listDocuments(
  identifiers: readonly FhirIdentifier[] | undefined,
  { codes, isInForce }: PatientContext,
): Document[] {
  const computeRank = ({ type, entry: { system = '', type: concept, use = '' } }: Document): number => {
    if (['secondary', 'old'].includes(use)) return 5;
    if (type !== 'Other') return documentKinds.indexOf(type);
    return codes.other.includes(system) ? 2 : concept ? 3 : 4;
  };
  const countEnded = ({ entry }: Document): number => Number(!isInForce(entry.period));
  return readDocuments(identifiers, codes).toSorted(
    (a, b) => computeRank(a) - computeRank(b) || countEnded(a) - countEnded(b),
  );
}

/** The identity documents in the order of their entries. */
export const readDocuments = (identifiers: readonly FhirIdentifier[] = [], codes: Codes): Document[] =>
  identifiers.flatMap((entry) => {
    const type = toIdentifierType(entry, codes);
    const { value = '' } = entry;
    const shown = type && normalizeDocument(type, value);
    return type && shown ? [{ type, value: shown, entry }] : [];
  });

/** Puts a separator between groups of three digits, or only before the last six, as in `12.345678`. */
const groupDigits = (text: string, mark: string): string[] =>
  [/(?<=\d)(?=(?:\d{3})+(?!\d))/g, /(?<=\d)(?=\d{6}(?!\d))/g].map((place) => text.replace(place, mark));

/**
 * The spellings of a document on servers, because a search compares tokens exactly. It includes upper and lower case, a
 * blank or none between letters and digits, and digits in groups with blanks. A numeric DNI also has leading zeros up
 * to eight, nine or ten digits, groups with the usual separators, and the word in front.
 */
function listSpellings(document: string, kind: IdentifierType): string[] {
  const shown = normalizeDocument(kind, document);
  const isNumber = kind === 'DNI' && /^\d+$/.test(shown);
  const padded = isNumber ? [8, 9, 10].map((length) => shown.padStart(length, '0')) : [];
  const parted = shown.replace(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, ' ');
  const plain = [...new Set([shown, parted, ...padded])];
  const grouped = plain.flatMap((text) => [' ', ...(isNumber ? ['.'] : [])].flatMap((mark) => groupDigits(text, mark)));
  const others = [',', '-', "'", '’', '\u00a0'].flatMap((mark) => groupDigits(shown, mark).slice(0, 1));
  const named = [shown, ` ${shown}`, ` ${groupDigits(shown, '.')[0]}`].map((each) => `DNI${each}`);
  const all = [...plain, ...grouped, ...(isNumber ? [...others, ...named] : [])];
  return [...new Set([...all, ...all.map((each) => each.toLowerCase())])];
}

/**
 * The search tokens for an identifier: a DNI in each of its systems, others in any system. Without a kind, it may be a
 * DNI.
 */
export function toSearchTokens(value: string, kind: IdentifierType | undefined, codes: Codes): string {
  const kinds: readonly IdentifierType[] = kind === undefined ? ['Other', 'DNI'] : [kind];
  const spellings = [...new Set(kinds.flatMap((each) => listSpellings(value, each)))];
  return kind === 'DNI'
    ? codes.dni.flatMap((system) => spellings.map((each) => formatToken(system, each))).join(',')
    : spellings.map(escapeValue).join(',');
}

/**
 * True if a search for the shown value finds the document in the server's spelling. Always false for a DNI that is not
 * a number.
 */
export const isSearchable = (shown: string, kind: IdentifierType, { value = '' }: FhirIdentifier): boolean =>
  (kind === 'DNI' ? /^\d{1,10}$/ : /^[\p{L}\p{Nd}][\p{L}\p{Nd}.,'’/ -]{0,39}$/u).test(shown) &&
  listSpellings(shown, kind).includes(value);
