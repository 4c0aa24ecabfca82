import { badAnswer } from '../../../src/http-client/failures.ts';
import {
  type Call,
  type Day,
  Failure,
  type Identifier,
  PATIENT_SEARCH_LIMIT,
  type Patient,
  type PatientRegistration,
  type Patients,
} from '../../../src/ports/index.ts';
import { checkBirthDate, createPromisedFailure } from '../../common/booking.ts';
import type { FhirContext } from '../context.ts';
import { toRows } from '../rest/bundle.ts';
import { formatToken, type SearchQuery } from '../rest/query.ts';
import { keepDecimals } from '../rest/transport.ts';
import { createIsHidden, createIsInForce } from '../schema/read.ts';
import type { Resource } from '../schema/resources.ts';
import { genderCode, isGenderKnown, toGender } from '../schema/terminology.ts';
import { confirmUpdate, confirmWrite, discardMisfit, retryOnConflict } from '../writes.ts';
import { fetchSurvivors, readSurvivor, throwPatientNotFound } from './person.ts';
import { hasIdentifier, matchesCriteria, type PatientContext, toPatient, toSearchTokens } from './read.ts';
import { toChangedElements, toFhirIdentifier, toFhirPatient } from './write.ts';

type FhirPatient = Resource<'Patient'>;

/** People as FHIR `Patient`s. */
export function createPatients({ client, codes, settings, zone }: FhirContext): Patients {
  const isHidden = createIsHidden(settings);
  return {
    async search(criteria, call) {
      const { identifier, identifierType, gender, birthDate } = criteria;
      // A search by gender finds nobody who has none, and they are `Other` too: those are picked from people of any gender.
      const anyGender = gender === undefined || gender === 'Other';
      const query: SearchQuery = {
        identifier: identifier && toSearchTokens(identifier, identifierType, codes),
        gender: anyGender ? undefined : genderCode[gender],
        birthdate: birthDate,
        _count: String(PATIENT_SEARCH_LIMIT + 1),
      };
      const enough = gender === 'Other' ? {} : { enough: PATIENT_SEARCH_LIMIT + 1 };
      const found = await client.search('Patient', query, call, { post: true, lenient: true, ...enough });
      // A server may ignore a search parameter that it does not know, and then returns other people.
      const isHit = (patient: FhirPatient) => matchesCriteria(patient, criteria, codes);
      const spelled = found.matches.filter(isHit);
      const isElse = identifier !== undefined && birthDate !== undefined && spelled.length === 0;
      const hits = isElse ? await findBornOn(birthDate, isHit, call) : spelled;
      if (found.more || hits.length > PATIENT_SEARCH_LIMIT) throw createPromisedFailure('search_too_wide');
      const toSurvivor = await fetchSurvivors(client, found, hits, call);
      const context = at(call);
      const patients = await toRows(found, hits, (patient) => toPatient(toSurvivor(patient), context), call);
      return [...new Map(patients.map((patient) => [patient.id, patient])).values()];
    },

    get: async (id, call) => toPatient(await read(id, call), at(call)),

    async register(person, call) {
      checkBirthDate(person.birthDate, zone.toLocalDay(call.now));
      const known = await findHolders(person, call);
      if (known.length > 0) return pickSamePerson(known, person, call);
      const { system, value = '' } = toFhirIdentifier(person.identifier, codes);
      const criterion = { identifier: formatToken(system, value) };
      const create = async () => {
        const { resource, created } = await client.create(toFhirPatient(person, at(call)), call, criterion);
        if (!created && isHidden(resource))
          throwIdentityConflict('the identifier belongs to a patient who is not shown');
        const isKept = hasIdentifier(resource, person.identifier, codes);
        if (created && !isKept) await discardMisfit(client, resource, call);
        if (created) return toPatient(resource, at(call));
        if (!isKept) throw badAnswer('condition_ignored');
        return pickSamePerson([resource], person, call);
      };
      const find = async (lastLook: Call) => {
        const holders = await findHolders(person, lastLook);
        return holders.length > 0 ? pickSamePerson(holders, person, call) : undefined;
      };
      try {
        return await confirmWrite(create, find, call);
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'conflict' || error.code === IDENTITY_CONFLICT) throw error;
        const winner = await find(call);
        if (winner) return winner;
        throw error;
      }
    },

    async update(id, changes, call) {
      const attempt = async (earlier: number) => {
        // Twice refused for its version, what was read is not what is there.
        const patient = await read(id, keepDecimals(call), earlier > 1 ? 'readCurrent' : 'read');
        checkBirthDate(changes.birthDate, zone.toLocalDay(call.now));
        const { identifier } = changes;
        if (identifier && earlier === 0 && !hasIdentifier(patient, identifier, codes)) {
          const others = await findHolders({ identifier }, call);
          if (others.some((other) => other.id !== patient.id))
            throwIdentityConflict('another patient holds this identifier');
        }
        await confirmUpdate(client, patient, toChangedElements(patient, changes, at(call)), call);
      };
      await retryOnConflict(attempt, call);
    },
  };

  function at(call: Call): PatientContext {
    return { codes, isInForce: createIsInForce(call, zone) };
  }

  async function read(id: string, call: Call, way: 'read' | 'readCurrent' = 'read'): Promise<FhirPatient> {
    const patient = await client[way]('Patient', id, call);
    return patient ? readSurvivor(client, patient, call, way) : throwPatientNotFound();
  }

  /** Those who hold the document, else of those born that day; throws bad_answer when none found can be read. */
  async function findHolders(
    { identifier, birthDate }: { readonly identifier: Identifier; readonly birthDate?: Day | undefined },
    call: Call,
  ): Promise<FhirPatient[]> {
    const query = { identifier: toSearchTokens(identifier.value, identifier.type, codes), _count: '20' };
    const found = await client.search('Patient', query, call, { post: true, enough: 20, lenient: true });
    const isHolder = (patient: FhirPatient) => hasIdentifier(patient, identifier, codes);
    const spelled = found.matches.filter(isHolder);
    const isElse = spelled.length === 0 && birthDate !== undefined;
    const holders = isElse ? await findBornOn(birthDate, isHolder, call) : spelled;
    const toSurvivor = await fetchSurvivors(client, found, holders, call);
    const survivors = new Map(holders.map(toSurvivor).map((patient) => [patient.id, patient]));
    if (survivors.size === 0 && found.unreadable.length > 0) throw badAnswer('unexpected_resource', 'Patient');
    return [...survivors.values()];
  }

  /** Those of the first thousand who were born on that day whom the test picks, of their identifiers, birth date and gender. */
  async function findBornOn(
    birthDate: Day,
    picks: (patient: FhirPatient) => boolean,
    call: Call,
  ): Promise<readonly FhirPatient[]> {
    const query = { birthdate: birthDate, _elements: 'identifier,gender,birthDate', _count: String(BORN_PER_PAGE) };
    const options = { post: true, enough: MAX_BORN, pages: MAX_BORN, lenient: true } as const;
    const { matches } = await client.search('Patient', query, call, options);
    const ids = matches.filter(picks).map(({ id }) => id);
    return (await client.readMany('Patient', ids, call, { lenient: true })).matches.filter(picks);
  }

  /**
   * The holder who is this person: numbers of old documents were given to two people. A holder of whom the gender or the day of
   * birth is not known is the same person if the known part agrees and no other agrees better, first by the birth date.
   */
  function pickSamePerson(holders: readonly FhirPatient[], person: PatientRegistration, call: Call): Patient {
    const agrees = ({ birthDate = '', gender }: FhirPatient) =>
      person.birthDate.startsWith(birthDate) && (!isGenderKnown(gender) || toGender(gender) === person.gender);
    const countKnown = ({ birthDate = '', gender }: FhirPatient) => birthDate.length + Number(isGenderKnown(gender));
    const [same] = holders.filter(agrees).toSorted((a, b) => countKnown(b) - countKnown(a));
    return same
      ? toPatient(same, at(call))
      : throwIdentityConflict('the identifier belongs to somebody with another birth date or gender');
  }
}

/** How many who were born on one day are compared. */
const MAX_BORN = 1_000;
const BORN_PER_PAGE = 200;

const IDENTITY_CONFLICT = 'identity_conflict';

function throwIdentityConflict(message: string): never {
  throw new Failure('conflict', message, { code: IDENTITY_CONFLICT });
}
