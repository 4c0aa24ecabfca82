import { badAnswer } from '../../../src/http-client/failures.ts';
import { type Call, Failure } from '../../../src/ports/index.ts';
import type { FhirClient } from '../rest/client.ts';
import type { SearchQuery } from '../rest/query.ts';
import type { SearchOptions } from '../rest/search.ts';
import { SearchResult } from '../rest/search-result.ts';
import type { ServerCall } from '../rest/transport.ts';
import { isId, parseReferenceId, type Reference, toReference } from '../schema/datatypes.ts';
import type { FhirPatient, Resource, ResourceType } from '../schema/resources.ts';

type Known = ReadonlyMap<string, FhirPatient>;

/** The maximum length of a chain of mergers. */
const MAX_MERGES = 10;

/** One person with all merged records. */
export interface MergedPerson {
  /** The id of the surviving record, and the ids of the merged records. */
  readonly ids: readonly [survivor: string, ...merged: string[]];
  /** The surviving record. Undefined if it cannot be read. */
  readonly patient: FhirPatient | undefined;
  /** All resources that were read to find the person. */
  readonly found: SearchResult<'Patient'>;
}

/** The id of the patient into whom this one was merged, active or not. Undefined if it was not merged. */
export const getMergedIntoId = ({ link = [] }: FhirPatient): string | undefined =>
  parseReferenceId(link.find(({ type }) => type === 'replaced-by')?.other, 'Patient');

/**
 * Follows the patient's mergers through the known records. A merger into a missing record or along a cycle does not
 * count: each patient of a cycle remains a person.
 */
function followKnown(
  patient: FhirPatient,
  known: Known,
): { readonly survivor: FhirPatient; readonly missing?: string } {
  const passed = new Set<FhirPatient>();
  for (let survivor = patient; ; ) {
    passed.add(survivor);
    const id = getMergedIntoId(survivor);
    if (id === undefined) return { survivor };
    const next = known.get(id);
    if (!next) return { survivor, missing: id };
    if (passed.has(next)) return { survivor: next };
    survivor = next;
  }
}

/**
 * The surviving record. Undefined if it is hidden, since its person is unknown by every record.
 * @throws Failure bad_answer when the survivor exists and cannot be read.
 */
function findSurvivor(patient: FhirPatient, known: Known, found: SearchResult<ResourceType>): FhirPatient | undefined {
  const { survivor, missing } = followKnown(patient, known);
  if (missing !== undefined && found.has(`Patient/${missing}`)) throw badAnswer('no_survivor', 'Patient/link/other');
  return missing !== undefined && found.hides(`Patient/${missing}`) ? undefined : survivor;
}

/**
 * Finds the persons with these ids, which may be ids of merged records. Each read also searches for records that link
 * to the patient, because a survivor need not name its merged records.
 */
export async function readPeople(
  client: FhirClient,
  ids: readonly string[],
  call: Call,
): Promise<(id: string) => MergedPerson | undefined> {
  const rounds: SearchResult<'Patient'>[] = [];
  const known = new Map<string, FhirPatient>();
  const asked = new Set<string>();
  for (let next = ids.filter(isId); next.length > 0; next = listUnasked(known, asked)) {
    // Continues to the survivor, and to all records merged into it.
    if (rounds.length > MAX_MERGES) break;
    const query = { _id: next.join(','), _revinclude: 'Patient:link', _count: '50' };
    const found = await client.search('Patient', query, call, { lenient: true });
    rounds.push(found);
    for (const id of next) asked.add(id);
    for (const each of found.list('Patient')) known.set(each.id, each);
  }
  const found = SearchResult.join('Patient', rounds);
  return (id) => {
    const patient = known.get(id);
    if (!patient) return found.has(`Patient/${id}`) ? { ids: [id], patient, found } : undefined;
    const survivor = findSurvivor(patient, known, found);
    if (!survivor) return undefined;
    if (survivor !== patient) call.concerns?.(survivor.id);
    const merged = [...known.values()].filter(
      (each) => each !== survivor && followKnown(each, known).survivor === survivor,
    );
    return { ids: [survivor.id, ...merged.map((each) => each.id)], patient: survivor, found };
  };
}

/** The ids around the requested patients that were not requested yet. */
function listUnasked(known: Known, asked: ReadonlySet<string>): string[] {
  const onTheWay = [...known.values()].flatMap((patient) => {
    const next = getMergedIntoId(patient);
    return next !== undefined && (asked.has(patient.id) || asked.has(next)) ? [patient.id, next] : [];
  });
  return [...new Set(onTheWay)].filter((id) => !asked.has(id));
}

/** The person with the id. Undefined if there is none. */
export const readPerson = async (client: FhirClient, id: string, call: Call): Promise<MergedPerson | undefined> =>
  (await readPeople(client, [id], call))(id);

/** The person with the id and the surviving record. Throws not_found, or bad_answer if unreadable. */
export async function requirePerson(client: FhirClient, id: string, call: Call) {
  const person = (await readPerson(client, id, call)) ?? throwPatientNotFound();
  return { ...person, patient: requireReadable(person) };
}

/** @throws Failure bad_answer when the survivor cannot be read. */
export function requireReadable({ patient }: MergedPerson): FhirPatient {
  if (!patient) throw badAnswer('unexpected_resource', 'Patient');
  return patient;
}

/** Reads the survivor of this patient's mergers. Throws not_found if it is hidden, bad_answer if it cannot be read. */
export async function readSurvivor(client: FhirClient, patient: FhirPatient, call: Call): Promise<FhirPatient> {
  const toSurvivor = await fetchSurvivors(client, new SearchResult('Patient', []), [patient], call);
  const survivor = toSurvivor(patient) ?? throwPatientNotFound();
  if (survivor !== patient) call.concerns?.(survivor.id);
  return survivor;
}

/**
 * Reads the survivors of found patients, and adds them to the result.
 * @returns a function for the survivor of a patient, which is undefined if hidden; it throws Failure bad_answer if no
 * survivor can be read.
 */
export async function fetchSurvivors(
  client: FhirClient,
  found: SearchResult<ResourceType>,
  patients: readonly FhirPatient[],
  call: ServerCall,
): Promise<(patient: FhirPatient) => FhirPatient | undefined> {
  const known = new Map(patients.map((patient) => [patient.id, patient]));
  await followMergers(known, async (ids) => {
    const next = await client.readMany('Patient', ids, call, { lenient: true });
    found.add(next);
    return next.matches;
  });
  return (patient) => findSurvivor(patient, known, found);
}

/** True if the patient of this reference is hidden. Fetches the patient if the result lacks it. */
export async function isOfHidden(
  client: FhirClient,
  found: SearchResult<ResourceType>,
  owner: Reference | undefined,
  call: ServerCall,
): Promise<boolean> {
  if (!client.hidesSome) return false;
  await client.fetchMissing(found, 'Patient', [owner], call);
  const patient = found.resolve(owner, 'Patient');
  if (!patient) return found.hides(`Patient/${getPatientId(owner)}`);
  return (await fetchSurvivors(client, found, [patient], call))(patient) === undefined;
}

/** Adds the targets of known mergers, as far as they can be read. */
async function followMergers(
  known: Map<string, FhirPatient>,
  read: (ids: readonly string[]) => Promise<readonly FhirPatient[]>,
): Promise<void> {
  for (let merges = 0; merges < MAX_MERGES; merges++) {
    const missing = [...known.values()].flatMap((each) => getMergedIntoId(each) ?? []).filter((id) => !known.has(id));
    const next = missing.length > 0 ? await read(missing) : [];
    if (next.length === 0) return;
    for (const each of next) known.set(each.id, each);
  }
}

/** The patients whose mergers lead to no record. Only the links are read. */
export async function listEndlessMergers(client: FhirClient, patients: readonly FhirPatient[], call: ServerCall) {
  const known = new Map(patients.map((patient) => [patient.id, patient]));
  await followMergers(known, async (ids) => {
    const query = { _id: ids.join(','), _elements: 'link', _count: String(ids.length) };
    return (await client.search('Patient', query, call, { post: true, lenient: true })).matches;
  });
  return patients.filter((patient) => {
    const { survivor, missing } = followKnown(patient, known);
    return missing !== undefined || getMergedIntoId(survivor) !== undefined;
  });
}

export function throwPatientNotFound(): never {
  throw new Failure('not_found', 'there is no such patient');
}

/** The types of the patient compartment (R4, CompartmentDefinition `patient`) that this adapter uses. */
type MemberType = 'Appointment' | 'Coverage' | 'RelatedPerson' | 'Task';

const listOwners: { readonly [T in MemberType]: (resource: Resource<T>) => readonly (Reference | undefined)[] } = {
  Appointment: ({ participant = [] }) => participant.map(({ actor }) => actor),
  Coverage: ({ beneficiary }) => [beneficiary],
  RelatedPerson: ({ patient }) => [patient],
  Task: (task) => [task.for],
};

const getParameter = (type: MemberType): string => (type === 'Coverage' ? 'beneficiary' : 'patient');

/** The limits of a search for a patient's appointments: a dialysis patient has 150 in a year. */
export const allAppointments = { entries: 20_000, pages: 400 } as const;

/** References to all records of a person, in the form of a search parameter and of `If-None-Exist`. */
export const formatPatients = (ids: readonly string[]): string => ids.map((id) => `Patient/${id}`).join(',');

/** A search among the resources of one person. */
export interface CompartmentSearch extends SearchOptions {
  /** A person, or the id of a patient; the search then also reads the person. */
  readonly who: string | MergedPerson;
  readonly query: SearchQuery;
}

/**
 * Finds the matching resources of this type for the patient and for all merged records.
 * @throws Failure not_found if there is no such patient, bad_answer if a match belongs to another patient.
 */
export async function searchPatientCompartment<T extends MemberType>(
  client: FhirClient,
  type: T,
  { who, query, ...options }: CompartmentSearch,
  call: Call,
): Promise<{ readonly found: SearchResult<T>; readonly person: MergedPerson }> {
  const search = (ids: readonly string[]) =>
    client.search(type, { ...query, [getParameter(type)]: formatPatients(ids) }, call, options);
  if (typeof who === 'string' && !isId(who)) throwPatientNotFound();
  const [person, own] =
    typeof who === 'string'
      ? await Promise.all([readPerson(client, who, call), search([who])])
      : [who, await search(who.ids)];
  if (!person) throwPatientNotFound();
  const found = typeof who === 'string' && person.ids.length > 1 ? await search(person.ids) : own;
  assertBelongsTo(person.ids, type, found.matches);
  const ofOthers = found.unreadable.filter((each) => each.type === type && namesOthers(person.ids, each.content));
  if (ofOthers.length > 0) throw badAnswer('of_another_patient');
  found.add(person.found);
  return { found, person };
}

/**
 * Finds the resource with this id among those of a patient and of all merged records. Undefined if there is none, or if
 * the patient is hidden.
 */
export async function findInPatientCompartment<T extends MemberType>(
  client: FhirClient,
  type: T,
  { patientId, id, query = {} }: { readonly patientId: string; readonly id: string; readonly query?: SearchQuery },
  call: Call,
) {
  if (!isId(patientId) || !isId(id)) return undefined;
  const find = async (ids: readonly string[]) => {
    const criteria = { ...query, _id: id, [getParameter(type)]: formatPatients(ids) };
    const found = await client.search(type, criteria, call);
    const resource = found.matches.find((each) => each.id === id && belongsTo(ids, type, each));
    return resource && { resource, found, ids };
  };
  const own = await find([patientId]);
  if (own && (await isOfHidden(client, own.found, toReference('Patient', patientId), call))) return undefined;
  // Mergers matter only for a resource of several patients, or of another record.
  if (own && listOwners[type](own.resource).every((each) => [patientId, undefined].includes(getPatientId(each))))
    return own;
  const ids = (await readPerson(client, patientId, call))?.ids ?? [patientId];
  if (own) return { ...own, ids };
  return ids.length > 1 ? find(ids) : undefined;
}

/** Throws bad_answer unless all belong to the person with these ids: a server may ignore a search parameter. */
export function assertBelongsTo<T extends MemberType>(
  ids: readonly string[],
  type: T,
  resources: readonly Resource<T>[],
): void {
  if (!resources.every((each) => belongsTo(ids, type, each))) throw badAnswer('of_another_patient');
}

/** True if an unreadable resource refers to patients, but to none of these. */
function namesOthers(ids: readonly string[], content: unknown): boolean {
  const named = [...(JSON.stringify(content) ?? '').matchAll(/"reference":"Patient\/([^"/]+)/g)];
  return named.length > 0 && !named.some(([, id = '']) => ids.includes(id));
}

const getPatientId = (owner: Reference | undefined): string | undefined => parseReferenceId(owner, 'Patient');

const belongsTo = <T extends MemberType>(ids: readonly string[], type: T, resource: Resource<T>): boolean =>
  listOwners[type](resource).some((owner) => ids.includes(getPatientId(owner) ?? ''));
