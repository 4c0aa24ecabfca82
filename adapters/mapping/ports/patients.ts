import { badAnswer } from '../../../src/http-client/failures.ts';
import {
  type Call,
  Failure,
  type Identifier,
  isSameDocument,
  normalizeDocument,
  PATIENT_SEARCH_LIMIT,
  type Patient,
  type PatientChanges,
  type PatientRegistration,
  type PatientSearch,
  type Patients,
} from '../../../src/ports/index.ts';
import { getField, omitUndefined } from '../../../src/toolkit/records.ts';
import { checkBirthDate, createPromisedFailure } from '../../common/failures.ts';
import { findWritten, settleWrite } from '../../common/outcome.ts';
import { pickSamePerson } from '../../common/same-person.ts';
import { address } from '../file/names.ts';
import { findQuestion } from '../file/questions.ts';
import { findMapping, listPaths, toConversion } from '../file/schema.ts';
import type { RecordOf } from '../file/things.ts';
import { type Hospital, listForms } from './hospital.ts';
import { createLostFailure, getMadeId } from './writes.ts';

export const createPatients = (hospital: Hospital): Patients => ({
  search: async (criteria, call) => {
    const { identifier, identifierType, birthDate, gender } = criteria;
    if (identifier === undefined && !hospital.has('patients.byBirthDate'))
      throw new Failure('unsupported', 'the institution’s system finds patients only by their documents');
    const records =
      identifier === undefined
        ? await hospital.find('patients', 'byBirthDate', dropUnknown(hospital, criteria), call)
        : await findHolders(hospital, criteria, call);
    const found = records.filter(
      (each) =>
        each.birthDate === (birthDate ?? each.birthDate) &&
        (gender === undefined || showGender(each) === gender) &&
        // A search by number also finds patients by earlier documents, which the record does not contain.
        (identifier !== undefined || each.identifier.type === (identifierType ?? each.identifier.type)),
    );
    if (found.length > PATIENT_SEARCH_LIMIT) throw createPromisedFailure('search_too_wide');
    return found.map(toPatient);
  },

  get: (id, call) => requirePatient(hospital, id, call),

  register: async (person, call) => {
    checkBirthDate(person.birthDate, hospital.zone.toLocalDay(call.now));
    const find = () => findRegistered(hospital, person, call);
    const known = await find();
    if (known) return known;
    const values = toValues(person);
    hospital.requireNames('patients.create', values);
    const create = async () => {
      const result = await hospital.change('patients', 'create', values, call);
      if ('meaning' in result && result.meaning === 'exists') return find();
      getMadeId(result);
      return findWritten(find);
    };
    const made = await settleWrite(create, find);
    if (!made) throw createLostFailure();
    return made;
  },

  update: async (id, changes, call) => {
    await requirePatient(hospital, id, call);
    checkBirthDate(changes.birthDate, hospital.zone.toLocalDay(call.now));
    const holders = changes.identifier ? await findHolders(hospital, toDocument(changes.identifier), call) : [];
    if (holders.some((holder) => holder.id !== id)) throw createIdentityConflict();
    const values = toValues(changes);
    hospital.requireNames('patients.update', values);
    // A new address replaces the whole old one: its missing parts become empty.
    const given = { ...(changes.address && noAddress), ...values, id };
    getMadeId(await hospital.change('patients', 'update', given, call), {
      exists: createIdentityConflict(),
      done: badAnswer('done'),
    });
  },
});

/** Patients of unknown sex, or without a document, are shown as `Other` too, and no code of `Other` finds them. */
function dropUnknown({ file }: Hospital, { gender, identifierType, ...criteria }: PatientSearch): PatientSearch {
  const isComposed = getField(findQuestion(file, 'patients', 'byBirthDate'), 'conditions') !== undefined;
  return {
    ...criteria,
    ...(!(isComposed && gender === 'Other') && omitUndefined({ gender })),
    ...(!(isComposed && identifierType === 'Other') && omitUndefined({ identifierType })),
  };
}

/** Undefined if there is no such patient. */
export async function findPatient(hospital: Hospital, id: string | undefined, call: Call) {
  if (id === undefined) return undefined;
  const found = (await hospital.find('patients', 'byId', { id }, call)).find((each) => each.id === id);
  return found && toPatient(found);
}

/** @throws Failure not_found if there is no such patient. */
export async function requirePatient(hospital: Hospital, id: string, call: Call): Promise<Patient> {
  const found = await findPatient(hospital, id, call);
  if (!found) throw new Failure('not_found', 'there is no such patient');
  return found;
}

/**
 * Returns the requested data of a patient.
 * @throws Failure not_found if there is no such patient.
 */
export async function findOf<T>(hospital: Hospital, patientId: string, call: Call, asked: Promise<T>): Promise<T> {
  const [found] = await Promise.all([asked, requirePatient(hospital, patientId, call)]);
  return found;
}

type PatientRecord = RecordOf<'patients'>;
const showGender = ({ gender }: PatientRecord) => gender || 'Other';

const toPatient = (record: PatientRecord): Patient => ({
  ...record,
  gender: showGender(record),
  birthDate: record.birthDate.length === 10 ? record.birthDate : '',
  address: omitUndefined(record.address),
});

/**
 * Drops patients who have the number as another document. If the question does not use the type, these are documents of
 * another type. They also are documents that only another spelling of the question matches: `0123` is not the passport
 * `123`.
 */
async function findHolders(hospital: Hospital, asked: PatientSearch, call: Call) {
  const { identifierType: type, identifier = '' } = asked;
  const isSame = (shown: Identifier) => isSameDocument(shown, { type: shown.type, value: identifier });
  const all = await hospital.find('patients', 'byDocument', asked, call);
  const found = showsKey(hospital) ? all.filter((each) => isSame(each.identifier)) : all;
  if (type !== undefined && hospital.uses('patients.byDocument', 'identifierType')) return found;
  const isAsked = (shown: Identifier) => shown.type === (type ?? shown.type) && isSame(shown);
  const normalize = (text = '') => normalizeDocument(type ?? 'DNI', text);
  const spelled = new Set(listForms(asked).map((form) => normalize(form.identifier)));
  return found.filter(({ identifier: shown }) => isAsked(shown) || !spelled.has(normalize(shown.value)));
}

/**
 * True if records show the very column that the question compares. Any other document is then one that only the
 * database takes for the same: MySQL compares a text with a numeric column by the number that the text begins with.
 */
function showsKey({ file: { patients } }: Hospital): boolean {
  const mapping = findMapping(patients?.fields ?? {}, ['identifier', 'value']);
  const key = patients?.byDocument === undefined ? patients?.keys?.document : undefined;
  if (mapping === undefined || typeof key !== 'string' || !/^[\w.]+$/.test(key)) return false;
  const [path, ...others] = listPaths(toConversion(mapping));
  return others.length === 0 && path === key.split('.').at(-1);
}

const toDocument = ({ type, value }: Identifier) => ({ identifierType: type, identifier: value });

/**
 * The patient with this identifier, birth date and gender.
 * @throws Failure conflict `identity_conflict` if another person has the identifier.
 */
async function findRegistered(hospital: Hospital, person: PatientRegistration, call: Call) {
  const holders = await findHolders(hospital, toDocument(person.identifier), call);
  const same = pickSamePerson(holders, person, ({ birthDate, gender }) => ({ birthDate, gender: gender || undefined }));
  if (!same && holders.length > 0) throw createIdentityConflict();
  return same && toPatient(same);
}

const createIdentityConflict = (): Failure =>
  new Failure('conflict', 'the identifier belongs to a patient with another birth date or gender', {
    code: 'identity_conflict',
  });

const noAddress = Object.fromEntries(Object.keys(address.unwrap().shape).map((part) => [part, '']));

/** The values by the file's `:names`. */
const toValues = ({ identifier, address: given, ...others }: PatientChanges) => ({
  ...others,
  ...given,
  ...(identifier && toDocument(identifier)),
});
