import { randomUUID } from 'node:crypto';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import { isObject } from '../../../src/toolkit/http-client/json.ts';
import type { Changes, Draft, Resource, ResourceType } from '../schema/resources.ts';
import { getWhole } from './parse-resource.ts';
import type { Paths } from './transport.ts';
import { encodeQuery, type Query } from './url.ts';

/** A resource as it was read, and the elements that get another value. */
type Update<T extends ResourceType = ResourceType> = {
  [U in T]: { readonly update: Resource<U>; readonly changes: Changes<U> };
}[T];

/** One step of a transaction. */
export type Entry =
  | {
      readonly create: Draft;
      /** By which other entries refer to it, a UUID as a URN. */
      readonly fullUrl?: string;
      /** It is created only when nothing matches it. */
      readonly ifNoneExist?: Query | undefined;
    }
  | Update;

/** The `If-Match` value of a resource as it was read. */
export function getVersion(resource: Resource): string {
  const versionId = resource.meta?.versionId;
  if (versionId === undefined) throw badAnswer('no_version');
  return `W/"${versionId}"`;
}

/**
 * The resource as the server sent it, with these changes, and without a narrative that was generated from the data before
 * them. HAPI adds one to every patient that it returns.
 * @throws Failure bad_answer as `getWhole` does.
 */
export function toWritten(resource: Resource, changes: object): object {
  const { text, ...data } = getWhole(resource, changes);
  const isDerived = isObject(text) && (text.status === 'generated' || text.status === 'extensions');
  return { ...data, ...(text !== undefined && !isDerived && { text }), ...changes };
}

/** Every entry has a fullUrl: validators refuse one without, since relative references begin there. */
export function toBundleEntry(entry: Entry, paths: Pick<Paths, 'base' | 'build'>): unknown {
  if ('create' in entry) {
    const { create, ifNoneExist, fullUrl = `urn:uuid:${randomUUID()}` } = entry;
    const condition = ifNoneExist && { ifNoneExist: encodeQuery(ifNoneExist) };
    return { fullUrl, resource: create, request: { method: 'POST', url: create.resourceType, ...condition } };
  }
  const { update, changes } = entry;
  const request = { method: 'PUT', url: `${update.resourceType}/${update.id}`, ifMatch: getVersion(update) };
  const fullUrl = paths.base + paths.build(update.resourceType, update.id);
  return { fullUrl, resource: toWritten(update, changes), request };
}
