import {
  type Call,
  Failure,
  type Identifier,
  PATIENT_SEARCH_LIMIT,
  type Patient,
  type PatientChanges,
  type PatientRegistration,
  type PatientSearch,
  Patients,
} from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/ports/omit-undefined.ts';
import { badAnswer } from '../../http-client/failures.ts';
import type { FhirContext } from '../context.ts';
import { toAddress } from '../datatypes/address.ts';
import { formatFamilyName, formatGivenNames, pickEmail, pickName, pickPhone } from '../datatypes/human-name.ts';
import { formatToken, type Query } from '../rest/url.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { type Codes, genderCode, toGender } from '../schema/terminology.ts';
import { toFhirIdentifier, toIdentifiers, toSearchTokens } from './identifiers.ts';
import { applyChanges, getMedicalRecordNumber, toFhirPatient } from './write.ts';

type FhirPatient = Resource<'Patient'>;

/** How often a change is tried again after somebody else changed the same patient. */
const MAX_RETRIES = 2;

/** People as FHIR `Patient`s. */
export class FhirPatients extends Patients {
  readonly #context: FhirContext;

  constructor(context: FhirContext) {
    super();
    this.#context = context;
  }

  async search(criteria: PatientSearch, call: Call): Promise<readonly Patient[]> {
    const { client, codes } = this.#context;
    const { identifier, identifierType, gender, birthDate } = criteria;
    const query: Query = {
      identifier: identifier && toSearchTokens(identifier, identifierType, codes),
      gender: gender && (gender === 'Other' ? 'other,unknown' : genderCode[gender]),
      birthdate: birthDate,
      _count: String(PATIENT_SEARCH_LIMIT + 1),
    };
    const { matches, more } = await client.search('Patient', query, call, { post: true, onePage: true });
    // A server may ignore a criterion that it does not know, and then returns strangers.
    const hits = matches.filter((patient) => matchesCriteria(patient, criteria, codes));
    if (more || hits.length > PATIENT_SEARCH_LIMIT) {
      throw new Failure('invalid', `more than ${PATIENT_SEARCH_LIMIT} patients match`, { code: 'search_too_wide' });
    }
    return (await this.#resolveMerged(hits, call)).map((patient) => toPatient(patient, codes));
  }

  async get(id: string, call: Call): Promise<Patient> {
    return toPatient(await this.#read(id, call), this.#context.codes);
  }

  async register(person: PatientRegistration, call: Call): Promise<Patient> {
    const { client, codes } = this.#context;
    this.#checkBirthDate(person, call);
    const known = await this.#findHolders(person.identifier, call);
    if (known.length > 0) return this.#pickSamePerson(known, person);
    const { system, value = '' } = toFhirIdentifier(person.identifier, codes);
    const criterion = { identifier: formatToken(system, value) };
    let holder: FhirPatient;
    try {
      const { resource, created } = await client.create(toFhirPatient(person, codes), call, criterion);
      if (created) return toPatient(resource, codes);
      holder = resource;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
      const winners = await this.#findHolders(person.identifier, call);
      if (winners.length === 0) throw error;
      return this.#pickSamePerson(winners, person);
    }
    return this.#pickSamePerson([holder], person);
  }

  async update(id: string, changes: PatientChanges, call: Call): Promise<void> {
    const { client, codes } = this.#context;
    this.#checkBirthDate(changes, call);
    for (let starts = 0; ; starts++) {
      const patient = await this.#read(id, call);
      const { identifier } = changes;
      if (identifier && starts === 0 && !holds(patient, identifier, codes)) {
        const others = await this.#findHolders(identifier, call);
        if (others.some((other) => other.id !== patient.id)) throw identityConflict();
      }
      try {
        return await client.update(applyChanges(patient, changes, codes), call);
      } catch (error) {
        const again = error instanceof Failure && error.kind === 'conflict' && starts < MAX_RETRIES;
        if (!again) throw error;
      }
    }
  }

  async #read(id: string, call: Call): Promise<FhirPatient> {
    const { client } = this.#context;
    const patient = await client.read('Patient', id, call);
    const survivor = patient && getMergedIntoId(patient);
    const found = survivor === undefined ? patient : await client.read('Patient', survivor, call);
    if (!found) throw new Failure('not_found', 'there is no such patient');
    return found;
  }

  async #findHolders(identifier: Identifier, call: Call): Promise<FhirPatient[]> {
    const { client, codes } = this.#context;
    const query = { identifier: toSearchTokens(identifier.value, identifier.type, codes), _count: '20' };
    const { matches } = await client.search('Patient', query, call, { post: true, onePage: true });
    return this.#resolveMerged(
      matches.filter((patient) => holds(patient, identifier, codes)),
      call,
    );
  }

  /** Those that were merged away give place to the ones that took them in. */
  async #resolveMerged(patients: readonly FhirPatient[], call: Call): Promise<FhirPatient[]> {
    const kept = patients.filter((patient) => getMergedIntoId(patient) === undefined);
    const known = new Set(kept.map(({ id }) => id));
    const successors = patients.map(getMergedIntoId).filter((id) => id !== undefined && !known.has(id));
    return [...kept, ...(await this.#context.client.readMany('Patient', successors as string[], call))];
  }

  /** Numbers of old documents occur twice, so the one who is meant goes before the one who is not. */
  #pickSamePerson(holders: readonly FhirPatient[], { birthDate, gender }: PatientRegistration): Patient {
    const patients = holders.map((holder) => toPatient(holder, this.#context.codes));
    const same = patients.find((patient) => patient.birthDate === birthDate && patient.gender === gender);
    if (!same) throw identityConflict();
    return same;
  }

  #checkBirthDate({ birthDate }: PatientChanges, call: Call): void {
    if (birthDate === undefined || birthDate <= this.#context.zone.toLocalDay(call.now)) return;
    throw new Failure('invalid', 'a birth date cannot lie in the future', { at: 'birthDate' });
  }
}

const identityConflict = (): Failure =>
  new Failure('conflict', 'the identifier belongs to somebody else', { code: 'identity_conflict' });

const holds = ({ identifier = [] }: FhirPatient, { type, value }: Identifier, codes: Codes): boolean =>
  toIdentifiers(identifier, codes).some((each) => each.type === type && each.value === value);

function matchesCriteria(patient: FhirPatient, criteria: PatientSearch, codes: Codes): boolean {
  const { identifier, identifierType, birthDate, gender } = criteria;
  const documents = toIdentifiers(patient.identifier, codes).filter(
    ({ type }) => identifierType === undefined || type === identifierType,
  );
  return (
    (identifier === undefined || documents.some(({ value }) => value === identifier)) &&
    (birthDate === undefined || patient.birthDate === birthDate) &&
    (gender === undefined || toGender(patient.gender) === gender)
  );
}

/** The id of the patient into whom this one was merged. */
function getMergedIntoId({ active, link = [] }: FhirPatient): string | undefined {
  if (active !== false) return undefined;
  return parseReferenceId(link.find(({ type }) => type === 'replaced-by')?.other, 'Patient');
}

/** @throws Failure bad_answer when the birth date is not known to the day, which the API cannot say. */
export function toPatient(patient: FhirPatient, codes: Codes): Patient {
  const { birthDate = '' } = patient;
  if (birthDate.length !== 10) throw badAnswer('no_birth_date', 'Patient/birthDate');
  const name = pickName(patient.name);
  const addresses = (patient.address ?? []).filter(({ use }) => use !== 'old');
  return omitUndefined({
    id: patient.id,
    name: formatGivenNames(name),
    lastName: formatFamilyName(name),
    gender: toGender(patient.gender),
    birthDate,
    identifier: toIdentifiers(patient.identifier, codes)[0] ?? { type: 'Other', value: '' },
    medicalRecordId: getMedicalRecordNumber(patient, codes),
    phone: pickPhone(patient.telecom)?.value ?? '',
    email: pickEmail(patient.telecom)?.value ?? '',
    active: patient.active !== false,
    address: toAddress(addresses.find(({ use }) => use === 'home') ?? addresses[0]),
  });
}
