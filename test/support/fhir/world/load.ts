import type { WithId } from '@medplum/core';
import type { Resource } from '@medplum/fhirtypes';
import type { Store } from '../store.ts';

/** Resources whose ids are names: `Patient/ana`. References between them use the names. */
export type World = readonly WithId<Resource>[];

/** The id that the server gave to each resource, under its type and name: `ids.get('Patient/ana')`. */
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

function withIds(resource: WithId<Resource>, cast: Cast): WithId<Resource> {
  const text = JSON.stringify(resource).replaceAll(/"reference":"([A-Z]\w+\/[^"]+)"/g, (_, name: string) => {
    const [type] = name.split('/');
    const id = cast.get(name);
    if (id === undefined) throw new Error(`The world refers to ${name}, which it does not hold`);
    return `"reference":"${type}/${id}"`;
  });
  return { ...JSON.parse(text), id: cast.get(`${resource.resourceType}/${resource.id}`) };
}
