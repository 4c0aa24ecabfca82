import { isDeepStrictEqual } from 'node:util';
import type { Identifier as WrittenIdentifier } from '@medplum/fhirtypes';
import { isObject } from '../../../src/http-client/answer-size.ts';
import { badAnswer } from '../../../src/http-client/failures.ts';
import {
  type Call,
  type Day,
  Failure,
  type Identifier,
  isSameDocument,
  PATIENT_SEARCH_LIMIT,
  type Patient,
  type PatientChanges,
  type PatientRegistration,
  type PatientSearch,
  type Patients,
} from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/toolkit/records.ts';
import { checkBirthDate, createPromisedFailure } from '../../common/failures.ts';
import { pickSamePerson } from '../../common/same-person.ts';
import type { FhirContext } from '../context.ts';
import type { FhirClient } from '../rest/client.ts';
import { formatToken, type SearchQuery } from '../rest/query.ts';
import { toRows } from '../rest/search-result.ts';
import { keepDecimals } from '../rest/transport.ts';
import { createSingle } from '../rest/uniqueness.ts';
import type { FhirAddress, FhirIdentifier, HumanName, Telecom } from '../schema/datatypes.ts';
import {
  createIsHidden,
  createIsInForce,
  type IsInForce,
  type NameParts,
  pickAddress,
  pickEmail,
  pickName,
  pickPhone,
  pickProperName,
  toFhirAddress,
  toNameParts,
} from '../schema/read.ts';
import type { FhirPatient, NewResource, Resource } from '../schema/resources.ts';
import { type Codes, genderCode, hl7, isGenderKnown, toGender } from '../schema/terminology.ts';
import { confirmUpdate, confirmWrite, discardInvalid, retryOnConflict } from '../writes.ts';
import { fetchSurvivors, readSurvivor, throwPatientNotFound } from './person.ts';
import {
  documentKinds,
  hasIdentifier,
  listDocuments,
  matchesCriteria,
  type PatientContext,
  pickMedicalRecordNumber,
  toPatient,
  toSearchTokens,
} from './read.ts';

/** People as FHIR `Patient`s. */
export class FhirPatients implements Patients {
  readonly #context: FhirContext;
  readonly #isHidden: ReturnType<typeof createIsHidden>;

  constructor(context: FhirContext) {
    this.#context = context;
    this.#isHidden = createIsHidden(context.settings);
  }

  async search(criteria: PatientSearch, call: Call): Promise<readonly Patient[]> {
    const { client, codes } = this.#context;
    const { identifier, identifierType, gender, birthDate } = criteria;
    // Patients without a gender are `Other` too, but a search by gender does not find them. They are filtered from a
    // search for any gender.
    const anyGender = gender === undefined || gender === 'Other';
    const query: SearchQuery = {
      identifier: identifier && toSearchTokens(identifier, identifierType, codes),
      gender: anyGender ? undefined : genderCode[gender],
      birthdate: birthDate,
      _count: String(PATIENT_SEARCH_LIMIT + 1),
    };
    const enough = gender === 'Other' ? {} : { enough: PATIENT_SEARCH_LIMIT + 1 };
    const found = await client.search('Patient', query, call, { post: true, lenient: true, ...enough });
    // A server may ignore an unknown search parameter, and return other people.
    const isHit = (patient: FhirPatient) => matchesCriteria(patient, criteria, codes);
    const spelled = found.matches.filter(isHit);
    const isElse = identifier !== undefined && birthDate !== undefined && spelled.length === 0;
    const hits = isElse ? (await findBornOn(client, birthDate, isHit, call)).matches : spelled;
    if (found.more || hits.length > PATIENT_SEARCH_LIMIT) throw createPromisedFailure('search_too_wide');
    const toSurvivor = await fetchSurvivors(client, found, hits, call);
    const context = this.#at(call);
    const toRow = (hit: FhirPatient) => {
      const survivor = toSurvivor(hit);
      return survivor && toPatient(survivor, context);
    };
    const patients = await toRows(found, hits, toRow, call);
    return [...new Map(patients.flatMap((patient) => (patient ? [[patient.id, patient]] : []))).values()];
  }

  async get(id: string, call: Call): Promise<Patient> {
    return toPatient(await this.#read(id, call), this.#at(call));
  }

  register(person: PatientRegistration, call: Call): Promise<Patient> {
    const { type, value } = person.identifier;
    const document = `${type} ${value.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '')}`;
    // If two callers register one person at once, the second one finds the record of the first.
    return this.#context.client.creates.runExclusive(document, () => this.#register(person, call));
  }

  async update(id: string, changes: PatientChanges, call: Call): Promise<void> {
    const { client, codes, zone } = this.#context;
    const updateOnce = async (earlier: number) => {
      // After two version conflicts, a cache may have returned an old version.
      const patient = await this.#read(id, keepDecimals(call), earlier > 1);
      checkBirthDate(changes.birthDate, zone.toLocalDay(call.now));
      const { identifier } = changes;
      if (identifier && earlier === 0 && !hasIdentifier(patient, identifier, codes)) {
        const others = await this.#findHolders({ identifier }, call);
        if (others.some((other) => other.id !== patient.id))
          throwIdentityConflict('another patient holds this identifier');
      }
      const changed = toChangedElements(patient, changes, this.#at(call));
      // An earlier attempt of this update made the changes that the patient already shows (RFC 9110, section 13.1.1).
      const isElse = call.ifMatch?.includes(patient.meta?.versionId ?? '') === false;
      if (isElse && Object.keys(changed).length > 0) throw createPromisedFailure('precondition_failed');
      await confirmUpdate(client, patient, changed, call);
    };
    await retryOnConflict(updateOnce, call);
  }

  async #register(person: PatientRegistration, call: Call): Promise<Patient> {
    const { client, codes, zone } = this.#context;
    checkBirthDate(person.birthDate, zone.toLocalDay(call.now));
    const known = await this.#findHolders(person, call);
    if (known.length > 0) return this.#pickSamePerson(known, person, call);
    const { system, value = '' } = toFhirIdentifier(person.identifier, codes);
    const criterion = { identifier: formatToken(system, value) };
    const isSame = (each: FhirPatient) => hasIdentifier(each, person.identifier, codes);
    const findSame = async (look: Call) => {
      const query = {
        identifier: toSearchTokens(person.identifier.value, person.identifier.type, codes),
        _count: '20',
      };
      return (await client.search('Patient', query, look, { post: true })).matches.filter(isSame);
    };
    const single = { draft: toFhirPatient(person, this.#at(call)), criteria: criterion, find: findSame };
    const create = async () => {
      const { resource, created } = await createSingle(client, single, call);
      if (!created && this.#isHidden?.(resource)) throwIdentityConflict(OF_HIDDEN);
      const isKept = hasIdentifier(resource, person.identifier, codes);
      if (created && !isKept) await discardInvalid(client, resource, call);
      if (created) return toPatient(resource, this.#at(call));
      if (!isKept) throw badAnswer('condition_ignored');
      return this.#pickSamePerson([resource], person, call);
    };
    const find = async (lastLook: Call) => {
      const holders = await this.#findHolders(person, lastLook);
      return holders.length > 0 ? this.#pickSamePerson(holders, person, call) : undefined;
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

  #at(call: Call): PatientContext {
    const { codes, zone } = this.#context;
    return { codes, isInForce: createIsInForce(call, zone) };
  }

  async #read(id: string, call: Call, isCurrent = false): Promise<FhirPatient> {
    const { client } = this.#context;
    const patient = await client[isCurrent ? 'readCurrent' : 'read']('Patient', id, call);
    return patient ? readSurvivor(client, patient, call) : throwPatientNotFound();
  }

  /**
   * The patients with the document; without any, those born on that day.
   * @throws Failure conflict `identity_conflict` when one is hidden or was merged into a hidden patient, bad_answer if no
   * found one can be read.
   */
  async #findHolders(
    { identifier, birthDate }: { readonly identifier: Identifier; readonly birthDate?: Day | undefined },
    call: Call,
  ): Promise<FhirPatient[]> {
    const { client, codes } = this.#context;
    const query = { identifier: toSearchTokens(identifier.value, identifier.type, codes), _count: '20' };
    const found = await client.search('Patient', query, call, { post: true, enough: 20, lenient: true });
    const isHolder = (patient: FhirPatient) => hasIdentifier(patient, identifier, codes);
    const spelled = found.matches.filter(isHolder);
    const isElse = spelled.length === 0 && birthDate !== undefined;
    const born = isElse ? await findBornOn(client, birthDate, isHolder, call) : undefined;
    const holders = born?.matches ?? spelled;
    if (born?.isAnyHidden || found.hidesAny('Patient', isHolder)) throwIdentityConflict(OF_HIDDEN);
    const toSurvivor = await fetchSurvivors(client, found, holders, call);
    const survivors = new Map<string, FhirPatient>();
    for (const holder of holders) {
      const survivor = toSurvivor(holder) ?? throwIdentityConflict(OF_HIDDEN);
      survivors.set(survivor.id, survivor);
    }
    if (survivors.size === 0 && found.unreadable.length > 0) throw badAnswer('unexpected_resource', 'Patient');
    return [...survivors.values()];
  }

  /** @throws Failure conflict `identity_conflict` when the identifier belongs to another person. */
  #pickSamePerson(holders: readonly FhirPatient[], person: PatientRegistration, call: Call): Patient {
    const same = pickSamePerson(holders, person, ({ birthDate = '', gender }) => ({
      birthDate,
      gender: isGenderKnown(gender) ? toGender(gender) : undefined,
    }));
    return same
      ? toPatient(same, this.#at(call))
      : throwIdentityConflict('the identifier belongs to a patient with another birth date or gender');
  }
}

const MAX_BORN = 1_000;
const BORN_PER_PAGE = 200;

/** The patients who were found, without hidden ones. */
interface FoundPatients {
  readonly matches: readonly FhirPatient[];
  /** True if a hidden patient was found too. */
  readonly isAnyHidden: boolean;
}

/**
 * The patients that pass `picks`, which checks identifiers, birth date and gender. It reads the first thousand born on
 * that day.
 */
async function findBornOn(
  client: FhirClient,
  birthDate: Day,
  picks: (patient: FhirPatient) => boolean,
  call: Call,
): Promise<FoundPatients> {
  const query = { birthdate: birthDate, _elements: 'identifier,gender,birthDate', _count: String(BORN_PER_PAGE) };
  const options = { post: true, enough: MAX_BORN, pages: MAX_BORN, lenient: true } as const;
  const born = await client.search('Patient', query, call, options);
  const ids = born.matches.filter(picks).map(({ id }) => id);
  // A server may leave the labels that hide a patient out of the first result.
  const whole = await client.readMany('Patient', ids, call, { lenient: true });
  return {
    matches: whole.matches.filter(picks),
    isAnyHidden: born.hidesAny('Patient', picks) || whole.hidesAny('Patient', picks),
  };
}

const IDENTITY_CONFLICT = 'identity_conflict';
const OF_HIDDEN = 'the identifier belongs to a hidden patient';

function throwIdentityConflict(message: string): never {
  throw new Failure('conflict', message, { code: IDENTITY_CONFLICT });
}

/** Includes the extensions of primitive values, such as the hour of the birth. They are removed with the value. */
type PatientElements = Pick<
  NewResource<'Patient'>,
  'identifier' | 'name' | 'telecom' | 'gender' | 'birthDate' | 'address'
> & {
  readonly _gender?: undefined;
  readonly _birthDate?: undefined;
};
type PatientFields = Required<PatientRegistration>;

/** The changes to a patient's elements, by field. The compiler requires every field. */
const writers: {
  readonly [Field in keyof PatientFields]: (
    value: PatientFields[Field],
    before: PatientElements,
    context: PatientContext,
  ) => PatientElements;
} = {
  identifier: (document, { identifier = [] }, context) => ({
    identifier: replaceDocument(identifier, document, context),
  }),
  medicalRecordId: (value, { identifier = [] }, context) => ({
    identifier: replaceMedicalRecordNumber(identifier, value, context),
  }),
  name: (given, { name }, { isInForce }) => ({ name: replaceName(name, { given }, isInForce) }),
  lastName: (family, { name }, { isInForce }) => ({ name: replaceName(name, { family }, isInForce) }),
  phone: (value, { telecom }, { isInForce }) => ({
    telecom: replaceTelecom(telecom, pickPhone(telecom, isInForce), { system: 'phone', value }),
  }),
  email: (value, { telecom }, { isInForce }) => ({
    telecom: replaceTelecom(telecom, pickEmail(telecom, isInForce), { system: 'email', value }),
  }),
  gender: (gender) => ({ gender: genderCode[gender], _gender: undefined }),
  birthDate: (birthDate) => ({ birthDate, _birthDate: undefined }),
  address: (next, { address = [] }, { isInForce }) => {
    const shown = pickAddress(address, isInForce);
    return { address: [toFhirAddress(next), ...address.filter((each) => !isReplaced(each, shown, isInForce))] };
  },
};

const fields = Object.keys(writers) as (keyof PatientFields)[];

const toFhirPatient = (person: PatientRegistration, context: PatientContext): NewResource<'Patient'> => ({
  resourceType: 'Patient',
  active: true,
  ...toElements({}, person, context),
});

/**
 * The elements to change. A value that is already shown changes nothing, because the stored one may be more detailed.
 */
function toChangedElements(
  patient: Resource<'Patient'>,
  changes: PatientChanges,
  context: PatientContext,
): PatientElements {
  const shown = toPatient(patient, context);
  const isShown = (field: keyof PatientFields) => isDeepStrictEqual(omitEmpty(changes[field]), omitEmpty(shown[field]));
  const changed = fields.filter((field) => !isShown(field)).map((field) => [field, changes[field]] as const);
  return toElements(patient, Object.fromEntries(changed), context);
}

/** Drops the empty parts of an address, which are equivalent to absent ones. */
const omitEmpty = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, part]) => part)) : value;

/** The elements of these fields. */
export function toElements(
  patient: PatientElements,
  changes: PatientChanges,
  context: PatientContext,
): PatientElements {
  const write = <F extends keyof PatientFields>(written: PatientElements, field: F): PatientElements => {
    const value: Partial<PatientFields>[F] = changes[field];
    return value === undefined
      ? written
      : { ...written, ...writers[field](value, { ...patient, ...written }, context) };
  };
  return fields.reduce<PatientElements>(write, {});
}

/** True if the new home address replaces this one. Former homes and mailing addresses stay. */
const isReplaced = (each: FhirAddress, shown: FhirAddress | undefined, isInForce: IsInForce): boolean =>
  (each.use ?? 'home') === 'home' && isInForce(each.period) && (each.type !== 'postal' || each === shown);

function toFhirIdentifier({ type, value }: Identifier, codes: Codes): WrittenIdentifier & { system: string } {
  const [system = codes.sid('other')] = { DNI: codes.dni, Passport: codes.passport, Other: codes.other }[type];
  const code = { DNI: 'NI', Passport: 'PPN', Other: undefined }[type];
  return {
    use: 'official',
    ...(code && { type: { coding: [{ system: hl7.identifierType, code }] } }),
    system,
    value,
  };
}

/**
 * Replaces the shown document of its kind, unless it is the same one. Removes other entries with the old number, so it
 * no longer finds the patient. Entries that are `old` or have ended stay. Entries of preferred kinds become secondary,
 * so the new one is shown.
 */
function replaceDocument(
  all: readonly FhirIdentifier[],
  document: Identifier,
  context: PatientContext,
): FhirIdentifier[] {
  const { codes, isInForce } = context;
  const preferred = documentKinds.slice(0, documentKinds.indexOf(document.type));
  const current = listDocuments(all, context).filter(({ entry }) => entry.use !== 'old');
  const [shown, ...rest] = current.filter(
    ({ type, entry }) =>
      type === document.type &&
      (type !== 'Other' || codes.other.includes(entry.system ?? '')) &&
      isInForce(entry.period),
  );
  const copies = rest.filter((each) => shown && isSameDocument(each, shown) && !isSameDocument(each, document));
  const outranked = current.filter(({ type }) => preferred.includes(type));
  const has = (documents: typeof current, each: FhirIdentifier) => documents.some(({ entry }) => entry === each);
  const given =
    shown?.value === document.value ? { ...shown.entry, use: 'official' } : toFhirIdentifier(document, codes);
  const next = replaceFirst(all, (each) => each === shown?.entry, given);
  return next
    .filter((each) => !has(copies, each))
    .map((each) => (has(outranked, each) ? { ...each, use: 'secondary' } : each));
}

/** Replaces or removes the shown number. A number of another institution's system stays. */
function replaceMedicalRecordNumber(
  all: readonly FhirIdentifier[],
  value: string,
  context: PatientContext,
): FhirIdentifier[] {
  const { codes } = context;
  const type = { coding: [{ system: hl7.identifierType, code: 'MR' }] };
  const [system = codes.sid('mrn')] = codes.mrn;
  const shown = pickMedicalRecordNumber(all, context);
  const isOurs = !codes.namesOwnRecords || codes.mrn.includes(shown?.system ?? '');
  return replaceFirst(all, (each) => isOurs && each === shown, value === '' ? undefined : { type, system, value });
}

/** Replaces the first entry that fits, or appends one. Removes it if `next` is undefined. */
function replaceFirst<T>(list: readonly T[], fits: (each: T) => boolean, next: T | undefined): T[] {
  const at = list.findIndex(fits);
  const addition = next === undefined ? [] : [next];
  return at < 0 ? [...list, ...addition] : list.toSpliced(at, 1, ...addition);
}

/** An empty value removes the telephone or the mail address. */
const replaceTelecom = (all: readonly Telecom[] = [], old: Telecom | undefined, next: Telecom): Telecom[] =>
  replaceFirst(all, (each) => each === old, next.value === '' ? undefined : { ...old, ...next });

/** Changes the current name, or adds one to a maiden name or the like. */
function replaceName(names: readonly HumanName[] = [], changes: Partial<NameParts>, isInForce: IsInForce): HumanName[] {
  const old = pickProperName(names, isInForce);
  const { given, family } = { ...toNameParts(old ?? pickName(names, isInForce)), ...changes };
  const words = given.split(/\s+/).filter(Boolean);
  const name = omitUndefined({
    use: 'official',
    ...old,
    // The extensions of the old words, such as the parts of a family name, would contradict the new ones.
    ...(changes.given !== undefined && { _given: undefined }),
    _family: changes.family === undefined ? old?._family : undefined,
    text: [given, family].filter(Boolean).join(' ') || undefined,
    given: words.length > 0 ? words : undefined,
    family: family || undefined,
  });
  return replaceFirst(names, (each) => each === old, name);
}
