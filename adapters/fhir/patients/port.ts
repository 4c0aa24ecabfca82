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
import { badAnswer } from '../../http-client/failures.ts';
import type { FhirContext } from '../context.ts';
import { formatToken, type Query } from '../rest/url.ts';
import type { Resource } from '../schema/resources.ts';
import { genderCode } from '../schema/terminology.ts';
import { confirmWrite } from '../writes/confirm-write.ts';
import { retryOnConflict } from '../writes/retry-on-conflict.ts';
import { throwPatientNotFound } from './compartment.ts';
import { getMergedIntoId, hasIdentifier, matchesCriteria, toPatient } from './read.ts';
import { hasChanges, toElements, toFhirIdentifier, toFhirPatient, toSearchTokens } from './write.ts';

type FhirPatient = Resource<'Patient'>;

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
    // A server may ignore a search parameter that it does not know, and then returns other people.
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
    const create = async () => {
      const { resource, created } = await client.create(toFhirPatient(person, codes), call, criterion);
      if (created) return toPatient(resource, codes);
      if (!hasIdentifier(resource, person.identifier, codes)) throw badAnswer('condition_ignored');
      return this.#pickSamePerson([resource], person);
    };
    const find = async (lastLook: Call) => {
      const holders = await this.#findHolders(person.identifier, lastLook);
      return holders.length > 0 ? this.#pickSamePerson(holders, person) : undefined;
    };
    try {
      return await confirmWrite(create, find, call);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'conflict' || error.code === IDENTITY_CONFLICT) throw error;
      const winner = await find(call);
      if (winner) return winner;
      throw error;
    }
  }

  async update(id: string, changes: PatientChanges, call: Call): Promise<void> {
    const { client, codes } = this.#context;
    this.#checkBirthDate(changes, call);
    const attempt = async (earlier: number) => {
      const patient = await this.#read(id, call);
      const { identifier } = changes;
      if (identifier && earlier === 0 && !hasIdentifier(patient, identifier, codes)) {
        const others = await this.#findHolders(identifier, call);
        if (others.some((other) => other.id !== patient.id)) throwIdentityConflict();
      }
      await client.update(patient, toElements(patient, changes, codes), call);
      return true;
    };
    const find = async (lastLook: Call) => hasChanges(await this.#read(id, lastLook), changes, codes) || undefined;
    await confirmWrite(() => retryOnConflict(attempt, call), find, call);
  }

  async #read(id: string, call: Call): Promise<FhirPatient> {
    const { client } = this.#context;
    const patient = await client.read('Patient', id, call);
    const mergedInto = patient && getMergedIntoId(patient);
    const found = mergedInto === undefined ? patient : await client.read('Patient', mergedInto, call);
    return found ?? throwPatientNotFound();
  }

  async #findHolders(identifier: Identifier, call: Call): Promise<FhirPatient[]> {
    const { client, codes } = this.#context;
    const query = { identifier: toSearchTokens(identifier.value, identifier.type, codes), _count: '20' };
    const { matches } = await client.search('Patient', query, call, { post: true, onePage: true });
    const holders = matches.filter((patient) => hasIdentifier(patient, identifier, codes));
    return this.#resolveMerged(holders, call);
  }

  /** Replaces the patients who were merged into another by that one. */
  async #resolveMerged(patients: readonly FhirPatient[], call: Call): Promise<FhirPatient[]> {
    const kept = patients.filter((patient) => getMergedIntoId(patient) === undefined);
    const mergedInto = patients.flatMap((patient) => getMergedIntoId(patient) ?? []);
    const missing = mergedInto.filter((id) => !kept.some((patient) => patient.id === id));
    return [...kept, ...(await this.#context.client.readMany('Patient', missing, call))];
  }

  /** The holder who is this person: numbers of old documents were given to two people. */
  #pickSamePerson(holders: readonly FhirPatient[], { birthDate, gender }: PatientRegistration): Patient {
    const patients = holders.map((holder) => toPatient(holder, this.#context.codes));
    const same = patients.find((patient) => patient.birthDate === birthDate && patient.gender === gender);
    return same ?? throwIdentityConflict();
  }

  #checkBirthDate({ birthDate }: PatientChanges, call: Call): void {
    if (birthDate === undefined || birthDate <= this.#context.zone.toLocalDay(call.now)) return;
    throw new Failure('invalid', 'a birth date cannot lie in the future', { at: 'birthDate' });
  }
}

const IDENTITY_CONFLICT = 'identity_conflict';

function throwIdentityConflict(): never {
  throw new Failure('conflict', 'the identifier belongs to somebody else', { code: IDENTITY_CONFLICT });
}
