import type { Call } from './call.ts';
import type { Day } from './time.ts';

export type Gender = 'Male' | 'Female' | 'Other';
export type IdentifierType = 'DNI' | 'Passport' | 'Other';

/** A document of identity; `value` is as `normalizeDocument` has it, by which two are compared. */
export interface Identifier {
  readonly type: IdentifierType;
  readonly value: string;
}

/** A postal address; parts that are not known are absent, not empty. The country is a name, not a code. */
export interface Address {
  readonly street?: string;
  readonly number?: string;
  readonly floor?: string;
  readonly apartment?: string;
  readonly city?: string;
  readonly state?: string;
  readonly country?: string;
  readonly zipCode?: string;
}

const countryNames: Readonly<Record<string, string>> = { AR: 'Argentina', ARG: 'Argentina' };

/** The name of a country of which only the code (ISO 3166) may be known; any other text stays as it is. */
export const toCountryName = (country: string): string => countryNames[country] ?? country;

/** A person whom the institution knows. */
export interface Patient {
  readonly id: string;
  /** Given names; empty when the institution does not know them. */
  readonly name: string;
  readonly lastName: string;
  readonly gender: Gender;
  /** Empty when it is not known to the day. */
  readonly birthDate: Day | '';
  /** The one that was given last; former ones of other types stay on record and find the patient. */
  readonly identifier: Identifier;
  /** The number of the clinical record; empty when there is none. */
  readonly medicalRecordId: string;
  readonly phone: string;
  readonly email: string;
  readonly active: boolean;
  readonly address: Address;
  /** Another text after each change of the record: visible ASCII without `"`. Absent where the system tells no versions. */
  readonly version?: string;
}

/** All criteria that are present must hold. There is an `identifier`, or a `birthDate` with a `gender`. */
export interface PatientSearch {
  readonly identifierType?: IdentifierType;
  /**
   * As in `Identifier`, and compared as those are. Without `identifierType` it matches an identifier of any type, each compared by
   * the rule of its type.
   */
  readonly identifier?: string;
  readonly birthDate?: Day;
  readonly gender?: Gender;
}

/** What is known of a person who registers. */
export interface PatientRegistration {
  readonly identifier: Identifier;
  readonly birthDate: Day;
  readonly gender: Gender;
  readonly phone?: string;
  readonly email?: string;
  readonly name?: string;
  readonly lastName?: string;
  readonly medicalRecordId?: string;
  readonly address?: Address;
}

/** The fields to change; what is absent stays as it is. An `address` replaces the whole address. */
export type PatientChanges = Partial<PatientRegistration>;

/** The most rows that a patient search may return. */
export const PATIENT_SEARCH_LIMIT = 50;

/** The people whom the institution knows. API document, sections 2 "Patient" and 4.A. */
export abstract class Patients {
  /**
   * Patients who meet every criterion; an empty list when none does.
   * @throws invalid `search_too_wide` when more than PATIENT_SEARCH_LIMIT match.
   */
  abstract search(criteria: PatientSearch, call: Call): Promise<readonly Patient[]>;

  /** @throws not_found when there is no such patient. */
  abstract get(id: string, call: Call): Promise<Patient>;

  /**
   * Registers a person once: the same identifier with the same birth date and gender returns the patient who already
   * exists, unchanged; a birth date that is known in part is the same when that part is, and a gender that is not known
   * agrees with any. Parallel calls for one person end in one patient.
   * @throws conflict `identity_conflict` when the identifier belongs to somebody with another birth date or gender.
   * @throws invalid at `birthDate` when it lies after today in the institution's zone.
   */
  abstract register(person: PatientRegistration, call: Call): Promise<Patient>;

  /**
   * Changes what is present in `changes`. Optional. Of several faults it tells the first in the order below, and nothing changes.
   * @throws not_found when there is no such patient.
   * @throws invalid at `birthDate` when it lies after today in the institution's zone.
   * @throws conflict `precondition_failed` when `call.ifMatch` lacks the `version` of the patient, where patients have one.
   * @throws conflict `identity_conflict` when another patient holds the new identifier.
   */
  abstract update(id: string, changes: PatientChanges, call: Call): Promise<void>;
}

/** Full-width characters in ASCII, invisible ones dropped, every run of blanks as one space, in upper case. */
const fold = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toUpperCase();

/** Digits, plain or with one kind of mark before multiples of three, after the word `DNI` (`D.N.I. Nº`), if any. */
const dniPattern =
  /^(?:D[^\p{L}\p{N}]?N[^\p{L}\p{N}]?I[^\p{L}\p{N}]*(?:N(?:RO|[Oº])?[^\p{L}\p{N}]*)?)?(\d+|\d{1,3}([^\p{L}\p{N}])\d{3}(?:\2?\d{3})*)$/u;

/**
 * The only form in which documents of identity are compared, shown and written: upper case without blanks; of a DNI its digits
 * without leading zeros. Two documents never have one form: a DNI's text that is not one number (`4011122.0`, `1E7`) keeps its
 * marks and blanks, and so does a text of which the type is not known. It is empty when the text is marks alone.
 */
export function normalizeDocument(type: IdentifierType | undefined, text: string): string {
  const folded = fold(text);
  if (!/[\p{L}\p{N}]/u.test(folded)) return '';
  if (type === undefined) return folded;
  if (type !== 'DNI') return folded.replaceAll(' ', '');
  const [, digits] = dniPattern.exec(folded) ?? [];
  return digits?.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '') ?? folded;
}

/** True if they are the same document, however it is spelled. */
export const isSameDocument = (one: Identifier, other: Identifier): boolean =>
  one.type === other.type && normalizeDocument(one.type, one.value) === normalizeDocument(other.type, other.value);
