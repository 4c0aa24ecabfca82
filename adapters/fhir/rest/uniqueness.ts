import { randomUUID } from 'node:crypto';
import { type Call, Failure } from '../../../src/ports/index.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { toReference } from '../schema/datatypes.ts';
import type { NewResource, Resource, ResourceType } from '../schema/resources.ts';
import type { Codes } from '../schema/terminology.ts';
import type { FhirClient } from './client.ts';
import { isRefused } from './errors.ts';
import { formatToken, type SearchQuery } from './query.ts';
import type { ServerCall } from './transport.ts';

/** The last work of each key, for each server. */
const queues = new WeakMap<FhirClient, Map<string, Promise<unknown>>>();

/** Does the work once all that came before it under this key has ended: within one gateway nothing is created twice. */
export async function inTurn<T>(client: FhirClient, key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(client) ?? new Map<string, Promise<unknown>>();
  queues.set(client, queue);
  const own = (queue.get(key) ?? Promise.resolve()).then(work, work);
  queue.set(key, own);
  try {
    return await own;
  } finally {
    if (queue.get(key) === own) queue.delete(key);
  }
}

/** What must be created once, whoever asks for it at the same moment. */
interface Single<T extends ResourceType> {
  readonly draft: NewResource<T>;
  readonly criteria: SearchQuery;
  /** Finds all that there must be one of. */
  readonly find: (call: Call) => Promise<readonly Resource<T>[]>;
}

/**
 * Creates on the condition that there is none. Where the server refuses the condition, it is looked for first. Where the
 * condition may not keep two at the same moment apart, it is looked for afterwards: the eldest stays, and a younger one
 * that this call made is withdrawn.
 * @throws Failure as `FhirClient.create`; conflict `duplicate_in_backend` when the younger one could not be withdrawn.
 */
export async function createSingle<T extends ResourceType>(
  client: FhirClient,
  single: Single<T>,
  call: Call,
): Promise<{ readonly resource: Resource<T>; readonly created: boolean }> {
  const made = await createUnlessThere(client, single, call);
  const { ladder } = client;
  const { resourceType } = single.draft;
  const isProven = ladder.obeys('Basic', 'atomic If-None-Exist') && ladder.heeds(resourceType, 'If-None-Exist');
  if (!made.created || isProven) return made;
  // It is made, whatever becomes of the look.
  const all = (await single.find(call).catch(ignoreFailure)) ?? [];
  const [eldest = made.resource] = all.toSorted(compareAge);
  if (eldest.id === made.resource.id || !all.some(({ id }) => id === made.resource.id)) return made;
  await withdraw(client, made.resource, eldest.id, call);
  return { resource: eldest, created: false };
}

async function createUnlessThere<T extends ResourceType>(
  client: FhirClient,
  { draft, criteria, find }: Single<T>,
  call: Call,
) {
  const { ladder } = client;
  let refusal: Failure | undefined;
  if (ladder.heeds(draft.resourceType, 'If-None-Exist')) {
    try {
      return await client.create(draft, call, criteria);
    } catch (error) {
      if (!isRefused(error)) throw error;
      refusal = error;
    }
  }
  const [there] = await find(call);
  if (there) return { resource: there, created: false };
  // What was refused for its content is refused again.
  const made = await client.create(draft, call);
  if (refusal) ladder.notice(draft.resourceType, 'If-None-Exist', refusal);
  return made;
}

/** The first one that the server made comes first. */
function compareAge(one: Resource, other: Resource): number {
  const [made, later] = [one, other].map(({ meta }) => Date.parse(meta?.lastUpdated ?? ''));
  return (made ?? 0) - (later ?? 0) || (one.id < other.id ? -1 : 1);
}

/** Removes it; where the server does not let it be removed, it says of itself that it does not count. */
async function withdraw(client: FhirClient, resource: Resource, eldestId: string, call: Call): Promise<void> {
  try {
    await client.remove(resource.resourceType, resource.id, call);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await retire(client, resource, eldestId, call).catch((cause: unknown) => {
      throw new Failure('conflict', 'the same was made twice at the same moment', {
        code: 'duplicate_in_backend',
        cause,
      });
    });
  }
}

async function retire(client: FhirClient, resource: Resource, eldestId: string, call: Call): Promise<void> {
  const { resourceType } = resource;
  if (resourceType === 'Patient') {
    const link = [{ other: toReference('Patient', eldestId), type: 'replaced-by' as const }];
    return client.update(resource, { active: false, link }, call);
  }
  if (resourceType === 'RelatedPerson')
    return client.update(resource, { active: false, period: { end: call.now } }, call);
  if (resourceType === 'Coverage') return client.update(resource, { status: 'entered-in-error' }, call);
  if (resourceType === 'Task') return client.update(resource, { status: 'entered-in-error' }, call);
  throw new Failure('unsupported', 'it cannot be withdrawn');
}

/** How many are sent at the same moment: of so many, a server that does not keep them apart creates two. */
const RACERS = 10;

/** Finds out, once, whether of several conditional creates at the same moment one alone creates; FHIR does not demand it. */
export async function tryRace(client: FhirClient, codes: Codes, call: ServerCall): Promise<void> {
  const { ladder } = client;
  if (ladder.isTried('Basic', 'atomic If-None-Exist')) return;
  const system = codes.sid('probe');
  const value = randomUUID();
  const code = { text: 'probe of a gateway, may be deleted' };
  const draft = { resourceType: 'Basic' as const, code, identifier: [{ system, value }] };
  const query = { identifier: formatToken(system, value) };
  const create = () => client.create(draft, call, query).catch(ignoreFailure);
  await Promise.all(Array.from({ length: RACERS }, create));
  const { matches } = await client.search('Basic', query, call);
  if (matches.length === 1) ladder.confirm('Basic', 'atomic If-None-Exist');
  if (matches.length > 1) ladder.notice('Basic', 'atomic If-None-Exist');
  for (const { id } of matches) await client.remove('Basic', id, call).catch(ignoreFailure);
}
