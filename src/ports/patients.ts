import type { Call } from './call.ts';
import type { Day } from './time.ts';

export type Gender = 'Male' | 'Female' | 'Other';
export type IdentifierType = 'DNI' | 'Passport' | 'Other';

/** A document of identity; `value` is as `tidyDocument` has it. Two are compared by `normaliseDocument`. */
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
}

/** All criteria that are present must hold. There is an `identifier`, or a `birthDate` with a `gender`. */
export interface PatientSearch {
  readonly identifierType?: IdentifierType;
  /** As in `Identifier`, and compared as those are; without `identifierType` it matches an identifier of any type. */
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
   * @throws conflict `identity_conflict` when another patient holds the new identifier.
   */
  abstract update(id: string, changes: PatientChanges, call: Call): Promise<void>;
}

/**
 * The only form in which documents of identity are compared: letters and digits in upper case; of a DNI also without the word
 * `DNI` before it and leading zeros. It is empty when the text is marks alone, which are no document.
 */
export function normaliseDocument(type: IdentifierType | undefined, text: string): string {
  const signs = text
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase();
  return type === 'DNI' ? signs.replace(/^DNI(?:N|NO|NRO)?(?=\d)/, '').replace(/^0+(?=\d)/, '') : signs;
}

/** How a document is shown and written: a DNI in its normal form, any other as it is spelled, in upper case without blanks. */
export const tidyDocument = (type: IdentifierType | undefined, text: string): string =>
  type === 'DNI' ? normaliseDocument(type, text) : text.replaceAll(/\s/g, '').toUpperCase();

/** Whether they are the same document, however it is spelled. */
export const isSameDocument = (one: Identifier, other: Identifier): boolean =>
  one.type === other.type && normaliseDocument(one.type, one.value) === normaliseDocument(other.type, other.value);
