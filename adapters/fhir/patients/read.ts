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

/** By what a patient is read and written. */
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

/** Whether something can be arranged for the patient: the record is in use, and nobody says that the person died. */
export const isOpenRecord = ({ active, deceasedBoolean, deceasedDateTime }: FhirPatient): boolean =>
  active !== false && deceasedBoolean !== true && deceasedDateTime === undefined;

export const hasIdentifier = ({ identifier }: FhirPatient, document: Identifier, codes: Codes): boolean =>
  readDocuments(identifier, codes).some((each) => isSameDocument(each, document));

/** Whether the patient meets every criterion. */
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

/** The kind of an identity document; undefined for other identifiers, such as the number of a clinical record. */
function toIdentifierType(identifier: FhirIdentifier, codes: Codes): IdentifierType | undefined {
  const { system = '', type } = identifier;
  if (isMedicalRecordNumber(identifier, codes) || system === codes.sid('seed')) return undefined;
  if (codes.dni.includes(system)) return 'DNI';
  return codes.passport.includes(system) || findCode(type, hl7.identifierType) === 'PPN' ? 'Passport' : 'Other';
}

const isMedicalRecordNumber = ({ system = '', type }: FhirIdentifier, codes: Codes): boolean =>
  codes.mrn.includes(system) || findCode(type, hl7.identifierType) === 'MR';

/** The number of the clinical record: of the institution's systems before those typed so, in force before ended. */
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

/** An identity document, and the entry from which it was read. */
export interface Document extends Identifier {
  readonly entry: FhirIdentifier;
}

const toIdentifier = ({ type, value }: Identifier = { type: 'Other', value: '' }): Identifier => ({ type, value });

/**
 * The identity documents, best first: DNI, passport, others of a configured system, typed, untyped, secondary or old. Of two
 * that are as good one in force goes first; a number is the person's also when the card that bears it has ended.
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

/** Sets a mark between groups of three digits, or only before the last six: `12.345678` is written too. */
const groupDigits = (text: string, mark: string): string[] =>
  [/(?<=\d)(?=(?:\d{3})+(?!\d))/g, /(?<=\d)(?=\d{6}(?!\d))/g].map((place) => text.replace(place, mark));

/**
 * How servers spell a document, as far as it is searched for, since a search compares tokens to the letter. In upper or lower
 * case; with a blank where letters and digits meet, or none; digits in groups by blanks. A DNI that is a number also filled up
 * with zeros to eight, nine or ten digits; in groups by the marks in use; and after the word.
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

/** The search tokens for an identifier: a DNI in each of its systems, others in any system; one of any kind may be a DNI. */
export function toSearchTokens(value: string, kind: IdentifierType | undefined, codes: Codes): string {
  const kinds: readonly IdentifierType[] = kind === undefined ? ['Other', 'DNI'] : [kind];
  const spellings = [...new Set(kinds.flatMap((each) => listSpellings(value, each)))];
  return kind === 'DNI'
    ? codes.dni.flatMap((system) => spellings.map((each) => formatToken(system, each))).join(',')
    : spellings.map(escapeValue).join(',');
}

/** Whether a search for the value that is shown of a document finds it, as the server spells it; a DNI that is no number never. */
export const isSearchable = (shown: string, kind: IdentifierType, { value = '' }: FhirIdentifier): boolean =>
  (kind === 'DNI' ? /^\d{1,10}$/ : /^[\p{L}\p{Nd}][\p{L}\p{Nd}.,'’/ -]{0,39}$/u).test(shown) &&
  listSpellings(shown, kind).includes(value);
