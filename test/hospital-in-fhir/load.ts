import type { WithId } from '@medplum/core';
import type { Resource } from '@medplum/fhirtypes';
import type { Store } from '../fhir-server/store.ts';

/** Resources whose ids are names: `Patient/ana`. What refers to others does so by `Type/name`. */
export type World = readonly WithId<Resource>[];

/** The id that the server gave to each resource, under its type and name: `cast.get('Patient/ana')`. */
export type Cast = ReadonlyMap<string, string>;

/** Puts a world into the store under ids that the server chooses, as a server would, and says which. */
export function load(store: Store, world: World): Cast {
  const cast = new Map<string, string>();
  for (const { resourceType, id } of world) {
    const name = `${resourceType}/${id}`;
    if (cast.has(name)) throw new Error(`The world holds ${name} twice`);
    cast.set(name, store.generateId());
  }
  for (const resource of world) store.load(withIds(resource, cast));
  return cast;
}

/** Names become ids in references, in canonicals of one's own server, and in identifiers that hold another one's id. */
function withIds(resource: WithId<Resource>, cast: Cast): WithId<Resource> {
  const text = JSON.stringify(resource).replaceAll(
    /"(reference|questionnaire|value)":"([A-Z][A-Za-z]+)\/([^"]+)"/g,
    (_, key: string, type: string, name: string) => {
      const id = cast.get(`${type}/${name}`);
      if (id === undefined) throw new Error(`The world refers to ${type}/${name}, which it does not hold`);
      return `"${key}":"${key === 'value' ? id : `${type}/${id}`}"`;
    },
  );
  return { ...JSON.parse(text), id: cast.get(`${resource.resourceType}/${resource.id}`) };
}
