import { forbidden, OperationOutcomeError } from '@medplum/core';
import type { AccessPolicyResource } from '@medplum/fhirtypes';
import type { Store } from './store.ts';

/** The rights of a client by type, in the words of Medplum's AccessPolicy; undefined where everybody may do everything. */
export type Rights = Readonly<Record<string, AccessPolicyResource['interaction']>> | undefined;

type Interaction = NonNullable<AccessPolicyResource['interaction']>[number];

/** What each method of the store asks for. As with Medplum, nobody changes or deletes what he may not read. */
const needs: Readonly<Record<string, readonly Interaction[]>> = {
  createResource: ['create'],
  conditionalCreate: ['search', 'create'],
  readResource: ['read'],
  readVersion: ['vread'],
  readHistory: ['history'],
  updateResource: ['read', 'update'],
  patchResource: ['read', 'update'],
  deleteResource: ['read', 'delete'],
  search: ['search'],
};

/** The store as a client sees it who has these rights at that moment. */
export function restrictStore(store: Store, getRights: () => Rights): Store {
  const check = (method: string, [subject]: readonly unknown[]): void => {
    const rights = getRights();
    if (!rights) return;
    const type = typeof subject === 'object' ? Reflect.get(subject ?? {}, 'resourceType') : subject;
    const granted = rights[String(type)] ?? [];
    if (needs[method]?.some((each) => !granted.includes(each))) throw new OperationOutcomeError(forbidden);
  };
  const restricted: Store = new Proxy(store, {
    get(target, name) {
      if (name === 'withTransaction')
        return (work: (repo: Store) => Promise<unknown>) => target.withTransaction(() => work(restricted));
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        check(String(name), given);
        return Reflect.apply(member, target, given);
      };
    },
  });
  return restricted;
}
