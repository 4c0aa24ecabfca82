import { z } from 'zod';
import { isObject } from '../../../src/http-client/answer-size.ts';
import { badAnswer } from '../../../src/http-client/failures.ts';
import { type Resource, type ResourceType, resources } from '../schema/resources.ts';
import { getOriginal, noteDropped } from './omitted.ts';

/** Lists with descriptive entries only. Dropping an entry does not change the identity or the meaning of a resource. */
const lists: ReadonlySet<unknown> = new Set([
  ...['name', 'telecom', 'address', 'qualification', 'specialty', 'generalPractitioner', 'availableTime'],
]);

/** Descriptive elements. They exclude identity, ownership, times and status of a resource. */
const elements: ReadonlySet<unknown> = new Set([
  ...['telecom', 'address', 'qualification', 'specialty', 'generalPractitioner', 'availableTime', 'position', 'meta'],
  ...['availabilityExceptions', 'comment', 'extraDetails', 'description', 'title', 'reasonCode', 'lastModified'],
]);

/**
 * Validates a resource of that type, and of that id if given. A descriptive element or list entry that does not conform
 * to FHIR is dropped.
 * @throws Failure bad_answer when it is another resource, or when any other used element does not conform to FHIR.
 */
export function parseResource<T extends ResourceType>(type: T, value: unknown, id?: string): Resource<T> {
  const dropped: string[] = [];
  let readable = value;
  while (!isReadable(type, readable)) {
    const [name = '', index, ...rest] = findFault(type, readable);
    const at = [name, ...(index === undefined ? [] : [index]), ...rest].map(String);
    const { [String(name)]: element, ...others } = isObject(readable) ? readable : {};
    const isEntry = Array.isArray(element) && typeof index === 'number';
    if (!(isEntry ? lists : elements).has(name)) throw badAnswer('unexpected_resource', [type, ...at].join('/'));
    dropped.push(at.filter((key) => !/^\d+$/.test(key)).join('/'));
    readable = isEntry ? { ...others, [String(name)]: element.toSpliced(index, 1) } : others;
  }
  if (id !== undefined && readable.id !== id) throw badAnswer('another_resource');
  if (dropped.length > 0 && isObject(value)) noteDropped(readable, { whole: value, dropped });
  return readable;
}

const compiled: Partial<Record<ResourceType, z.ZodType>> = {};

function check(type: ResourceType, value: unknown) {
  // Compiled schemas validate in a fraction of the time. A type is compiled when it is first read.
  compiled[type] ??= z.compile(resources[type]);
  return compiled[type].safeParse(value);
}

const isReadable = <T extends ResourceType>(type: T, value: unknown): value is Resource<T> =>
  check(type, value).success;

const findFault = (type: ResourceType, value: unknown): readonly PropertyKey[] =>
  check(type, value).error?.issues[0]?.path ?? [];

/** The `If-Match` value of a resource as it was read. */
export function getVersion(resource: Resource): string {
  const versionId = resource.meta?.versionId;
  if (versionId === undefined) throw badAnswer('no_version');
  return `W/"${versionId}"`;
}

/**
 * The resource as received, with these changes. A narrative that was generated from the old data is dropped: HAPI adds
 * one to every returned patient.
 * @throws Failure bad_answer as `getWhole` does.
 */
export function toWritten(resource: Resource, changes: object): object {
  const { text, ...data } = getWhole(resource, changes);
  const isDerived = isObject(text) && (text.status === 'generated' || text.status === 'extensions');
  return { ...data, ...(text !== undefined && !isDerived && { text }), ...changes };
}

/**
 * The resource as received, to be written with these changes. Throws bad_answer if a changed part was dropped on
 * reading, or if it is not the whole resource.
 */
function getWhole(resource: Resource, changes: object): Readonly<Record<string, unknown>> {
  const { whole, dropped, isPart } = getOriginal(resource);
  const lost = dropped.find((path) => (path.split('/')[0] ?? '') in changes);
  if (lost !== undefined) throw badAnswer('unexpected_resource', `${resource.resourceType}/${lost}`);
  if (isPart || JSON.stringify(whole.meta ?? {}).includes('"SUBSETTED"'))
    throw badAnswer('only_a_part', resource.resourceType);
  return whole;
}
