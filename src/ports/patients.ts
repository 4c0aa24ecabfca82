import type { Call } from './call.ts';
import type { Day } from './time.ts';

export type Gender = 'Male' | 'Female' | 'Other';
export type IdentifierType = 'DNI' | 'Passport' | 'Other';

/**
 * An identity document. `value` is in the form of `normalizeDocument`, in which documents are compared. It is a text: a
 * system refuses a number that it cannot store, and never changes one.
 */
export interface Identifier {
  readonly type: IdentifierType;
  readonly value: string;
}

/** A postal address. Unknown parts are absent, not empty. The country is a name, not a code. */
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

/** Returns Argentina for `AR` and `ARG`. Any other text is returned unchanged, other codes of countries too. */
export const toCountryName = (country: string): string =>
  country === 'AR' || country === 'ARG' ? 'Argentina' : country;

/** A patient of the institution. */
export interface Patient {
  readonly id: string;
  /** Given names. Empty if unknown. */
  readonly name: string;
  readonly lastName: string;
  readonly gender: Gender;
  /** Empty if the full date is unknown. */
  readonly birthDate: Day | '';
  /** The latest document. Earlier documents of other types stay on record, and searches find the patient by them. */
  readonly identifier: Identifier;
  /** The number of the clinical record. Empty if there is none. */
  readonly medicalRecordId: string;
  readonly phone: string;
  readonly email: string;
  readonly active: boolean;
  readonly address: Address;
  /** Differs after each change of the record: visible ASCII without `"`. Absent if the system has no versions. */
  readonly version?: string;
}

/**
 * Selects patients. A patient must meet all criteria that are present. There is an `identifier`, or a `birthDate` with
 * a `gender`.
 */
export interface PatientSearch {
  readonly identifierType?: IdentifierType;
  /**
   * Compared as in `Identifier`. Without `identifierType` it matches an identifier of any type, compared by the rule of
   * that type.
   */
  readonly identifier?: string;
  readonly birthDate?: Day;
  readonly gender?: Gender;
}

/** The data of a person to register. */
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

/** The fields to change. Absent fields are unchanged. An `address` replaces the whole address. */
export type PatientChanges = Partial<PatientRegistration>;

/** The maximum number of patients that a search may return. */
export const PATIENT_SEARCH_LIMIT = 50;

/** The patients of the institution. API document, sections 2 "Patient" and 4.A. */
export abstract class Patients {
  /**
   * Lists the patients who meet every criterion. The list is empty if there are none.
   * @throws invalid `search_too_wide` when more than PATIENT_SEARCH_LIMIT match.
   */
  abstract search(criteria: PatientSearch, call: Call): Promise<readonly Patient[]>;

  /** @throws not_found when there is no such patient. */
  abstract get(id: string, call: Call): Promise<Patient>;

  /**
   * Registers a person once. For the same identifier, birth date and gender, it returns the existing patient unchanged.
   * A partly known birth date matches by its known part, and an unknown gender matches any. Parallel calls for one
   * person create one patient.
   * @throws conflict `identity_conflict` when the identifier belongs to a patient with another birth date or gender.
   * @throws invalid at `birthDate` when it lies after today in the institution's zone.
   */
  abstract register(person: PatientRegistration, call: Call): Promise<Patient>;

  /**
   * Changes what is present in `changes`. Optional. Of parallel updates with one version in `call.ifMatch` at most one
   * succeeds. Of several faults it reports the first in the order below, and it then changes nothing.
   * @throws not_found when there is no such patient.
   * @throws invalid at `birthDate` when it lies after today in the institution's zone.
   * @throws conflict `precondition_failed` when `call.ifMatch` lacks the `version` of the patient, if patients have
   * versions.
   * @throws conflict `identity_conflict` when another patient has the new identifier.
   */
  abstract update(id: string, changes: PatientChanges, call: Call): Promise<void>;
}

/**
 * Converts full-width characters to ASCII, drops invisible ones, reduces each run of blanks to one space, and converts
 * to upper case.
 */
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
 * The only form in which Puente compares, shows and writes identity documents: upper case without blanks. A DNI has its
 * digits without leading zeros. Different documents never have the same form. A DNI text that is not one number
 * (`4011122.0`, `1E7`) keeps its marks and blanks, as does a text of unknown type. The form is empty if the text has
 * only marks.
 */
export function normalizeDocument(type: IdentifierType | undefined, text: string): string {
  const folded = fold(text);
  if (!/[\p{L}\p{N}]/u.test(folded)) return '';
  if (type === undefined) return folded;
  if (type !== 'DNI') return folded.replaceAll(' ', '');
  const [, digits] = dniPattern.exec(folded) ?? [];
  return digits?.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '') ?? folded;
}

/** True if both are the same document in any spelling. */
export const isSameDocument = (one: Identifier, other: Identifier): boolean =>
  one.type === other.type && normalizeDocument(one.type, one.value) === normalizeDocument(other.type, other.value);
