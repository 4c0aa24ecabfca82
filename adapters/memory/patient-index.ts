import {
  Failure,
  type Identifier,
  type IdentifierType,
  PATIENT_SEARCH_LIMIT,
  type Patient,
  type PatientSearch,
} from '../../src/ports/index.ts';
import { Lists } from './lists.ts';

const identifierTypes: readonly IdentifierType[] = ['DNI', 'Passport', 'Other'];

/** The patients by id, identifier and birth date: a lookup costs the same among sixty and among a million. */
export class PatientIndex {
  readonly #byId = new Map<string, Patient>();
  readonly #byIdentifier: Readonly<Record<IdentifierType, Map<string, Patient>>> = {
    DNI: new Map(),
    Passport: new Map(),
    Other: new Map(),
  };
  readonly #byBirthDate = new Lists<Patient>();
  #lastRecord = 0;

  find(id: string): Patient | undefined {
    return this.#byId.get(id);
  }

  /** @throws Failure not_found when there is no such patient. */
  get(id: string): Patient {
    const patient = this.#byId.get(id);
    if (!patient) throw new Failure('not_found', 'there is no such patient');
    return patient;
  }

  findHolder({ type, value }: Identifier): Patient | undefined {
    return this.#byIdentifier[type].get(value);
  }

  /** @throws Failure invalid `search_too_wide`. */
  search(criteria: PatientSearch): Patient[] {
    const found = this.#findCandidates(criteria).filter((patient) => matchesCriteria(patient, criteria));
    if (found.length > PATIENT_SEARCH_LIMIT) {
      throw new Failure('invalid', `more than ${PATIENT_SEARCH_LIMIT} patients match, narrow the search`, {
        code: 'search_too_wide',
      });
    }
    return found;
  }

  add(patient: Patient): void {
    this.#byId.set(patient.id, patient);
    this.#byIdentifier[patient.identifier.type].set(patient.identifier.value, patient);
    this.#byBirthDate.add(patient.birthDate, patient);
    this.#lastRecord = Math.max(this.#lastRecord, parseRecordNumber(patient));
  }

  /** Replaces the patient with the same id. */
  replace(patient: Patient): void {
    const old = this.get(patient.id);
    this.#byIdentifier[old.identifier.type].delete(old.identifier.value);
    this.#byBirthDate.remove(old.birthDate, old.id);
    this.add(patient);
  }

  /** An unused number of a clinical record: `HC-` and six digits or more. */
  createRecordId(): string {
    return `HC-${String(this.#lastRecord + 1).padStart(6, '0')}`;
  }

  #findCandidates({ identifier, birthDate }: PatientSearch): readonly Patient[] {
    if (identifier !== undefined) {
      return identifierTypes.flatMap((type) => this.#byIdentifier[type].get(identifier) ?? []);
    }
    if (birthDate !== undefined) return this.#byBirthDate.get(birthDate);
    throw new Failure('invalid', 'a search needs an identifier, or a birth date with a gender', { at: 'identifier' });
  }
}

const matchesCriteria = (patient: Patient, { identifierType, birthDate, gender }: PatientSearch): boolean =>
  isSame(identifierType, patient.identifier.type) &&
  isSame(birthDate, patient.birthDate) &&
  isSame(gender, patient.gender);

const isSame = (wanted: string | undefined, actual: string): boolean => wanted === undefined || wanted === actual;

const parseRecordNumber = ({ medicalRecordId }: Patient): number =>
  Number(/^HC-(\d{1,12})$/.exec(medicalRecordId)?.[1] ?? 0);
