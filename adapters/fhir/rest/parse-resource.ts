import { z } from 'zod';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import { isObject } from '../../../src/toolkit/http-client/json.ts';
import { type Resource, type ResourceType, resources } from '../schema/resources.ts';
import type { UnreadableResource } from './unreadable.ts';

/** Lists of which each entry only describes: without one of them a resource says less, and is the same. */
const lists: ReadonlySet<unknown> = new Set([
  ...['name', 'telecom', 'address', 'qualification', 'specialty', 'generalPractitioner', 'availableTime'],
]);

/** Elements that only describe. Who or what a resource is, whose, when, and whether it counts, is not among them. */
const elements: ReadonlySet<unknown> = new Set([
  ...['telecom', 'address', 'qualification', 'specialty', 'generalPractitioner', 'availableTime', 'position', 'meta'],
  ...['availabilityExceptions', 'comment', 'extraDetails', 'description', 'title', 'reasonCode', 'lastModified'],
]);

/** A resource as it was sent, and the elements that were left out of what was read. */
interface Part {
  readonly whole: Readonly<Record<string, unknown>>;
  readonly leftOut: readonly string[];
}

const parts = new WeakMap<object, Part>();

/**
 * The value, when it is a resource of that type, and of that id when one was asked for. An element that only describes it,
 * or one entry of it, is left out when it is not what FHIR says.
 * @throws Failure bad_answer when it is not, or when another element that this adapter uses is not what FHIR says.
 */
export function parseResource<T extends ResourceType>(type: T, value: unknown, id?: string): Resource<T> {
  const leftOut: string[] = [];
  let readable = value;
  while (!isReadable(type, readable)) {
    const [name = '', index, ...rest] = findFault(type, readable);
    const at = [name, ...(index === undefined ? [] : [index]), ...rest].map(String);
    const { [String(name)]: element, ...others } = isObject(readable) ? readable : {};
    const isEntry = Array.isArray(element) && typeof index === 'number';
    if (!(isEntry ? lists : elements).has(name)) throw badAnswer('unexpected_resource', [type, ...at].join('/'));
    leftOut.push(at.filter((key) => !/^\d+$/.test(key)).join('/'));
    readable = isEntry ? { ...others, [String(name)]: element.toSpliced(index, 1) } : others;
  }
  if (id !== undefined && readable.id !== id) throw badAnswer('another_resource');
  if (leftOut.length > 0 && isObject(value)) parts.set(readable, { whole: value, leftOut });
  return readable;
}

/** What was left out of a resource that was read. */
export const listLeftOut = (resource: Resource): UnreadableResource[] =>
  (parts.get(resource)?.leftOut ?? []).map((element) => ({
    ...{ type: resource.resourceType, id: resource.id, element, content: resource },
  }));

/** Neither `Type/id`, nor an address, nor something contained. */
const brokenReference = /"reference":"(?![A-Za-z]+\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[^"]+)?"|[a-z][a-z+.-]*:|#)/;

/** Notes as left out what refers to something in a way that no server can follow. */
export function noteBrokenReferences(resources: readonly Resource[]): void {
  for (const whole of resources) {
    const broken = Object.entries(whole).filter(([, value]) => brokenReference.test(JSON.stringify(value) ?? ''));
    if (broken.length > 0) parts.set(whole, { whole, leftOut: broken.map(([element]) => element) });
  }
}

/**
 * The resource as the server sent it, to be written with these elements changed.
 * @throws Failure bad_answer when one of them could not be read, or when the server sent a part of the resource.
 */
export function getWhole(resource: Resource, changes: object): Readonly<Record<string, unknown>> {
  const { whole, leftOut }: Part = parts.get(resource) ?? { whole: resource, leftOut: [] };
  const lost = leftOut.find((path) => (path.split('/')[0] ?? '') in changes);
  if (lost !== undefined) throw badAnswer('unexpected_resource', `${resource.resourceType}/${lost}`);
  if (JSON.stringify(whole.meta ?? {}).includes('"SUBSETTED"')) throw badAnswer('only_a_part', resource.resourceType);
  return whole;
}

const compiled: Partial<Record<ResourceType, z.ZodType>> = {};

function check(type: ResourceType, value: unknown) {
  // Generated code looks at what matches in a fraction of the time; a type that nobody reads needs none.
  compiled[type] ??= z.compile(resources[type]);
  return compiled[type].safeParse(value);
}

const isReadable = <T extends ResourceType>(type: T, value: unknown): value is Resource<T> =>
  check(type, value).success;

const findFault = (type: ResourceType, value: unknown): readonly PropertyKey[] =>
  check(type, value).error?.issues[0]?.path ?? [];
