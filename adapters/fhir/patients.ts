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
} from '../../src/ports/index.ts';
import { toAddress } from './address.ts';
import type { Backend } from './backend.ts';
import { type Codes, genderCode, genderOf } from './codes.ts';
import { badAnswer } from './decode.ts';
import { idOf } from './elements.ts';
import { documentsOf, fromIdentifier, tokensOf } from './identity.ts';
import { changed, draftOf, recordNumberOf } from './patient-record.ts';
import { bestEmail, bestName, bestPhone, familyName, givenNames } from './person.ts';
import { present } from './present.ts';
import type { Resource } from './resources.ts';
import { type Query, token } from './url.ts';

type FhirPatient = Resource<'Patient'>;

/** How often a change is tried again after somebody else changed the same patient. */
const FRESH_STARTS = 2;

/** People as FHIR `Patient`s. */
export class FhirPatients extends Patients {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    super();
    this.#backend = backend;
  }

  async search(criteria: PatientSearch, call: Call): Promise<readonly Patient[]> {
    const { client, codes } = this.#backend;
    const { identifier, identifierType, gender, birthDate } = criteria;
    const query: Query = {
      identifier: identifier && tokensOf(identifier, identifierType, codes),
      gender: gender && (gender === 'Other' ? 'other,unknown' : genderCode[gender]),
      birthdate: birthDate,
      _count: String(PATIENT_SEARCH_LIMIT + 1),
    };
    const { matches, more } = await client.search('Patient', query, call, { post: true, onePage: true });
    // A server may ignore a criterion that it does not know, and then returns strangers.
    const hits = matches.filter((patient) => meets(patient, criteria, codes));
    if (more || hits.length > PATIENT_SEARCH_LIMIT) {
      throw new Failure('invalid', `more than ${PATIENT_SEARCH_LIMIT} patients match`, { code: 'search_too_wide' });
    }
    return (await this.#survivors(hits, call)).map((patient) => toPatient(patient, codes));
  }

  async get(id: string, call: Call): Promise<Patient> {
    return toPatient(await this.#read(id, call), this.#backend.codes);
  }

  async register(person: PatientRegistration, call: Call): Promise<Patient> {
    const { client, codes } = this.#backend;
    this.#checkBirthDate(person, call);
    const known = await this.#holders(person.identifier, call);
    if (known.length > 0) return this.#same(known, person);
    const { system, value = '' } = fromIdentifier(person.identifier, codes);
    const criterion = { identifier: token(system, value) };
    let holder: FhirPatient;
    try {
      const { resource, created } = await client.create(draftOf(person, codes), call, criterion);
      if (created) return toPatient(resource, codes);
      holder = resource;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
      const winners = await this.#holders(person.identifier, call);
      if (winners.length === 0) throw error;
      return this.#same(winners, person);
    }
    return this.#same([holder], person);
  }

  async update(id: string, changes: PatientChanges, call: Call): Promise<void> {
    const { client, codes } = this.#backend;
    this.#checkBirthDate(changes, call);
    for (let starts = 0; ; starts++) {
      const patient = await this.#read(id, call);
      const { identifier } = changes;
      if (identifier && starts === 0 && !holds(patient, identifier, codes)) {
        const others = await this.#holders(identifier, call);
        if (others.some((other) => other.id !== patient.id)) throw identityConflict();
      }
      try {
        return await client.update(changed(patient, changes, codes), call);
      } catch (error) {
        const again = error instanceof Failure && error.kind === 'conflict' && starts < FRESH_STARTS;
        if (!again) throw error;
      }
    }
  }

  async #read(id: string, call: Call): Promise<FhirPatient> {
    const { client } = this.#backend;
    const patient = await client.read('Patient', id, call);
    const survivor = patient && successorOf(patient);
    const found = survivor === undefined ? patient : await client.read('Patient', survivor, call);
    if (!found) throw new Failure('not_found', 'there is no such patient');
    return found;
  }

  async #holders(identifier: Identifier, call: Call): Promise<FhirPatient[]> {
    const { client, codes } = this.#backend;
    const query = { identifier: tokensOf(identifier.value, identifier.type, codes), _count: '20' };
    const { matches } = await client.search('Patient', query, call, { post: true, onePage: true });
    return this.#survivors(
      matches.filter((patient) => holds(patient, identifier, codes)),
      call,
    );
  }

  /** Those that were merged away give place to the ones that took them in. */
  async #survivors(patients: readonly FhirPatient[], call: Call): Promise<FhirPatient[]> {
    const kept = patients.filter((patient) => successorOf(patient) === undefined);
    const known = new Set(kept.map(({ id }) => id));
    const successors = patients.map(successorOf).filter((id) => id !== undefined && !known.has(id));
    return [...kept, ...(await this.#backend.client.all('Patient', successors as string[], call))];
  }

  /** Numbers of old documents occur twice, so the one who is meant goes before the one who is not. */
  #same(holders: readonly FhirPatient[], { birthDate, gender }: PatientRegistration): Patient {
    const patients = holders.map((holder) => toPatient(holder, this.#backend.codes));
    const same = patients.find((patient) => patient.birthDate === birthDate && patient.gender === gender);
    if (!same) throw identityConflict();
    return same;
  }

  #checkBirthDate({ birthDate }: PatientChanges, call: Call): void {
    if (birthDate === undefined || birthDate <= this.#backend.zone.dayOf(call.now)) return;
    throw new Failure('invalid', 'a birth date cannot lie in the future', { at: 'birthDate' });
  }
}

const identityConflict = (): Failure =>
  new Failure('conflict', 'the identifier belongs to somebody else', { code: 'identity_conflict' });

const holds = ({ identifier = [] }: FhirPatient, { type, value }: Identifier, codes: Codes): boolean =>
  documentsOf(identifier, codes).some((each) => each.type === type && each.value === value);

function meets(patient: FhirPatient, criteria: PatientSearch, codes: Codes): boolean {
  const { identifier, identifierType, birthDate, gender } = criteria;
  const documents = documentsOf(patient.identifier, codes).filter(
    ({ type }) => identifierType === undefined || type === identifierType,
  );
  return (
    (identifier === undefined || documents.some(({ value }) => value === identifier)) &&
    (birthDate === undefined || patient.birthDate === birthDate) &&
    (gender === undefined || genderOf(patient.gender) === gender)
  );
}

/** The id of the patient into whom this one was merged. */
function successorOf({ active, link = [] }: FhirPatient): string | undefined {
  if (active !== false) return undefined;
  return idOf(link.find(({ type }) => type === 'replaced-by')?.other, 'Patient');
}

/** @throws Failure bad_answer when the birth date is not known to the day, which the API cannot say. */
export function toPatient(patient: FhirPatient, codes: Codes): Patient {
  const { birthDate = '' } = patient;
  if (birthDate.length !== 10) throw badAnswer('no_birth_date', 'Patient/birthDate');
  const name = bestName(patient.name);
  const addresses = (patient.address ?? []).filter(({ use }) => use !== 'old');
  return present({
    id: patient.id,
    name: givenNames(name),
    lastName: familyName(name),
    gender: genderOf(patient.gender),
    birthDate,
    identifier: documentsOf(patient.identifier, codes)[0] ?? { type: 'Other', value: '' },
    medicalRecordId: recordNumberOf(patient, codes),
    phone: bestPhone(patient.telecom)?.value ?? '',
    email: bestEmail(patient.telecom)?.value ?? '',
    active: patient.active !== false,
    address: toAddress(addresses.find(({ use }) => use === 'home') ?? addresses[0]),
  });
}
