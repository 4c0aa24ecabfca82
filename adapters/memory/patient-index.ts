import {
  Failure,
  type Identifier,
  type IdentifierType,
  normaliseDocument,
  PATIENT_SEARCH_LIMIT,
  type Patient,
  type PatientSearch,
} from '../../src/ports/index.ts';
import { createPromisedFailure } from '../common/promised-failures.ts';
import { Lists } from './lists.ts';

const identifierTypes: readonly IdentifierType[] = ['DNI', 'Passport', 'Other'];

type Documents = Partial<Record<IdentifierType, string>>;

/** The patients by id, identifier and birth date: a lookup costs the same among sixty and among a million. */
export class PatientIndex {
  readonly #byId = new Map<string, Patient>();
  /** Ids, by the normal form of a document. */
  readonly #byIdentifier: Readonly<Record<IdentifierType, Map<string, string>>> = {
    DNI: new Map(),
    Passport: new Map(),
    Other: new Map(),
  };
  /** What patients who were given another document had before, by type. */
  readonly #formerDocuments = new Map<string, Documents>();
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
    return this.#byId.get(this.#byIdentifier[type].get(normaliseDocument(type, value)) ?? '');
  }

  /** @throws Failure invalid `search_too_wide`. */
  search(criteria: PatientSearch): Patient[] {
    const found = this.#findCandidates(criteria).filter((patient) => this.#matchesCriteria(patient, criteria));
    if (found.length > PATIENT_SEARCH_LIMIT) throw createPromisedFailure('search_too_wide');
    return found;
  }

  add(patient: Patient): void {
    this.#byId.set(patient.id, patient);
    const { type, value } = patient.identifier;
    this.#byIdentifier[type].set(normaliseDocument(type, value), patient.id);
    this.#byBirthDate.add(patient.birthDate, patient);
    this.#lastRecord = Math.max(this.#lastRecord, parseRecordNumber(patient));
  }

  /** Replaces the patient with the same id. A document that another of its type replaces no longer finds the patient. */
  replace(patient: Patient): void {
    const { type } = patient.identifier;
    const { birthDate, id } = this.get(patient.id);
    const { [type]: replaced, ...kept } = this.#listDocuments(id);
    if (replaced !== undefined) this.#byIdentifier[type].delete(normaliseDocument(type, replaced));
    this.#formerDocuments.set(id, kept);
    this.#byBirthDate.remove(birthDate, id);
    this.add(patient);
  }

  /** An unused number of a clinical record: `HC-` and six digits or more. */
  createRecordId(): string {
    this.#lastRecord += 1;
    return `HC-${String(this.#lastRecord).padStart(6, '0')}`;
  }

  #listDocuments(id: string): Documents {
    const { type, value } = this.get(id).identifier;
    return { ...this.#formerDocuments.get(id), [type]: value };
  }

  #findCandidates({ identifier, identifierType, birthDate }: PatientSearch): readonly Patient[] {
    if (identifier !== undefined) {
      const types = identifierType === undefined ? identifierTypes : [identifierType];
      return [...new Set(types.flatMap((type) => this.findHolder({ type, value: identifier }) ?? []))];
    }
    if (birthDate !== undefined) return this.#byBirthDate.get(birthDate);
    throw new Failure('invalid', 'a search needs an identifier, or a birth date with a gender', { at: 'identifier' });
  }

  #matchesCriteria({ id, ...patient }: Patient, { identifierType, birthDate, gender }: PatientSearch): boolean {
    return (
      (identifierType === undefined || this.#listDocuments(id)[identifierType] !== undefined) &&
      isSame(birthDate, patient.birthDate) &&
      isSame(gender, patient.gender)
    );
  }
}

const isSame = (wanted: string | undefined, actual: string): boolean => wanted === undefined || wanted === actual;

const parseRecordNumber = ({ medicalRecordId }: Patient): number =>
  Number(/^HC-(\d{1,12})$/.exec(medicalRecordId)?.[1] ?? 0);
