import type { Call } from '../../../src/ports/index.ts';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import type { Client } from '../rest/client.ts';
import type { SearchOptions } from '../rest/search.ts';
import type { SearchResult } from '../rest/search-result.ts';
import type { Query } from '../rest/url.ts';
import { isId, parseReferenceId, type Reference } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { type Person, readPerson, throwPatientNotFound } from './merged.ts';

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

/** How a patient's appointments are searched for: somebody on dialysis has 150 in a year. */
export const allAppointments = { entries: 20_000, pages: 400 } as const;

/** The references to all records of a person, as a search parameter and `If-None-Exist` take them. */
export const formatPatients = (ids: readonly string[]): string => ids.map((id) => `Patient/${id}`).join(',');

/**
 * Finds the resources of this type that meet the query, of the patient and of all who were merged into the same one.
 * @param who a person, or the id of a patient of whom it finds out at the same time.
 * @throws Failure not_found when there is no such patient, bad_answer when a match is another patient's.
 */
export async function searchPatientCompartment<T extends MemberType>(
  client: Client,
  type: T,
  who: string | Person,
  query: Query,
  call: Call,
  options?: SearchOptions,
): Promise<{ readonly found: SearchResult<T>; readonly person: Person }> {
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

/** Finds the resource with this id of a patient, or of one who was merged into the same one; undefined when there is none. */
export async function findInPatientCompartment<T extends MemberType>(
  client: Client,
  type: T,
  patientId: string,
  id: string,
  call: Call,
  query: Query = {},
) {
  if (!isId(patientId) || !isId(id)) return undefined;
  const find = async (ids: readonly string[]) => {
    const criteria = { ...query, _id: id, [getParameter(type)]: formatPatients(ids) };
    const found = await client.search(type, criteria, call);
    const resource = found.matches.find((each) => each.id === id && belongsTo(ids, type, each));
    return resource && { resource, found, ids };
  };
  const own = await find([patientId]);
  // Only where it matters whom the patient was merged with: the resource is somebody's too, or another record's.
  if (own && listOwners[type](own.resource).every((each) => [patientId, undefined].includes(getPatientId(each))))
    return own;
  const ids = (await readPerson(client, patientId, call))?.ids ?? [patientId];
  if (own) return { ...own, ids };
  return ids.length > 1 ? find(ids) : undefined;
}

/** Throws bad_answer unless all belong to the person with these ids; a server may ignore a search parameter. */
export function assertBelongsTo<T extends MemberType>(
  ids: readonly string[],
  type: T,
  resources: readonly Resource<T>[],
): void {
  if (!resources.every((each) => belongsTo(ids, type, each))) throw badAnswer('of_another_patient');
}

/** Whether a resource that cannot be read refers to patients, and none of these is among them. */
function namesOthers(ids: readonly string[], content: unknown): boolean {
  const named = [...(JSON.stringify(content) ?? '').matchAll(/"reference":"Patient\/([^"/]+)/g)];
  return named.length > 0 && !named.some(([, id = '']) => ids.includes(id));
}

const getPatientId = (owner: Reference | undefined): string | undefined => parseReferenceId(owner, 'Patient');

const belongsTo = <T extends MemberType>(ids: readonly string[], type: T, resource: Resource<T>): boolean =>
  listOwners[type](resource).some((owner) => ids.includes(getPatientId(owner) ?? ''));
