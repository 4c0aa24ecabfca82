import { type Call, Failure } from '../../../src/ports/index.ts';
import { badAnswer } from '../../http-client/failures.ts';
import type { Client } from '../rest/client.ts';
import type { SearchOptions } from '../rest/search.ts';
import type { SearchResult } from '../rest/search-result.ts';
import type { Query } from '../rest/url.ts';
import { isId, parseReferenceId, type Reference } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';

/** The types of the patient compartment (R4, CompartmentDefinition `patient`) that this adapter works with. */
type MemberType = 'Appointment' | 'Coverage' | 'RelatedPerson' | 'Task';

const listOwners: { readonly [T in MemberType]: (resource: Resource<T>) => readonly (Reference | undefined)[] } = {
  Appointment: ({ participant = [] }) => participant.map(({ actor }) => actor),
  Coverage: ({ beneficiary }) => [beneficiary],
  RelatedPerson: ({ patient }) => [patient],
  Task: (task) => [task.for],
};

/** The search parameter for the patient. */
const getParameter = (type: MemberType): string => (type === 'Coverage' ? 'beneficiary' : 'patient');

export interface CompartmentOptions extends SearchOptions {
  /** The caller has found that the patient exists: saves the `_include`, and the read where nothing matches. */
  readonly patientExists?: true;
}

/**
 * Finds the patient's resources of this type that meet the query.
 * @throws Failure not_found when there is no such patient, bad_answer when a match is another patient's.
 */
export async function searchPatientCompartment<T extends MemberType>(
  client: Client,
  type: T,
  patientId: string,
  query: Query,
  call: Call,
  { patientExists, ...options }: CompartmentOptions = {},
): Promise<SearchResult<T>> {
  if (!isId(patientId)) throwPatientNotFound();
  const patient = `Patient/${patientId}`;
  const include = patientExists ? [] : `${type}:${type === 'Appointment' ? 'actor' : getParameter(type)}`;
  const criteria = { ...query, [getParameter(type)]: patient, _include: [query._include ?? [], include].flat() };
  const found = await client.search(type, criteria, call, options);
  const isKnown = patientExists || found.has(patient) || (await client.read('Patient', patientId, call));
  if (!isKnown) throwPatientNotFound();
  assertBelongsTo(patientId, type, found.matches);
  const ofOthers = found.unreadable.filter((each) => each.type === type && namesOthers(patient, each.content));
  if (ofOthers.length > 0) throw badAnswer('of_another_patient');
  return found;
}

/** Finds the patient's resource with this id; undefined when there is none or it is another patient's. */
export async function findInPatientCompartment<T extends MemberType>(
  client: Client,
  type: T,
  patientId: string,
  id: string,
  call: Call,
  query: Query = {},
): Promise<{ readonly resource: Resource<T>; readonly found: SearchResult<T> } | undefined> {
  if (!isId(patientId) || !isId(id)) return undefined;
  const criteria = { ...query, _id: id, [getParameter(type)]: `Patient/${patientId}` };
  const found = await client.search(type, criteria, call);
  const resource = found.matches.find((each) => each.id === id && belongsTo(patientId, type, each));
  return resource && { resource, found };
}

/**
 * Throws unless every resource belongs to this patient; a server may ignore a search parameter.
 * @throws Failure bad_answer when one does not.
 */
export function assertBelongsTo<T extends MemberType>(
  patientId: string,
  type: T,
  resources: readonly Resource<T>[],
): void {
  if (!resources.every((each) => belongsTo(patientId, type, each))) throw badAnswer('of_another_patient');
}

/** Whether a resource that cannot be read refers to patients, and this one is not among them. */
function namesOthers(patient: string, content: unknown): boolean {
  const [...named] = JSON.stringify(content).matchAll(/"reference":"(Patient\/[^"/]+)/g);
  return named.length > 0 && !named.some(([, reference]) => reference === patient);
}

const belongsTo = <T extends MemberType>(patientId: string, type: T, resource: Resource<T>): boolean =>
  listOwners[type](resource).some((owner) => parseReferenceId(owner, 'Patient') === patientId);

export function throwPatientNotFound(): never {
  throw new Failure('not_found', 'there is no such patient');
}
