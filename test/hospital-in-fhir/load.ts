import type { WithId } from '@medplum/core';
import type { Resource } from '@medplum/fhirtypes';
import type { Store } from '../fhir-server/store.ts';

/** Resources whose ids are names: `Patient/ana`. What refers to others does so by `Type/name`. */
export type NamedResources = readonly WithId<Resource>[];

/** The id that the server gave to each resource, under its type and name: `ids.get('Patient/ana')`. */
export type IdsByName = ReadonlyMap<string, string>;

/** Puts the resources into the store under ids that the server chooses, as a server would, and returns these ids. */
export function loadUnderNewIds(store: Store, resources: NamedResources): IdsByName {
  const ids = new Map<string, string>();
  for (const { resourceType, id } of resources) {
    const name = `${resourceType}/${id}`;
    if (ids.has(name)) throw new Error(`There are two resources ${name}`);
    ids.set(name, store.generateId());
  }
  for (const resource of resources) store.load(replaceNames(resource, ids));
  return ids;
}

/** Names become ids in references, in canonicals of one's own server, and in identifiers that hold another one's id. */
function replaceNames(resource: WithId<Resource>, ids: IdsByName): WithId<Resource> {
  const text = JSON.stringify(resource).replaceAll(
    /"(reference|questionnaire|value)":"([A-Z][A-Za-z]+)\/([^"]+)"/g,
    (_, key: string, type: string, name: string) => {
      const id = ids.get(`${type}/${name}`);
      if (id === undefined) throw new Error(`There is no resource ${type}/${name} to refer to`);
      return `"${key}":"${key === 'value' ? id : `${type}/${id}`}"`;
    },
  );
  return { ...JSON.parse(text), id: ids.get(`${resource.resourceType}/${resource.id}`) };
}
