import { randomUUID } from 'node:crypto';
import { type Call, Failure } from '../../../src/ports/index.ts';
import { type Backoff, retry } from '../../../src/toolkit/backoff.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { compareAge, toReference } from '../schema/datatypes.ts';
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
 * condition may not keep two at the same moment apart, it is looked for afterwards, and one of them is withdrawn.
 * @throws Failure as `FhirClient.create`; conflict `duplicate_in_backend` when the one that this call made could not be
 *   withdrawn.
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
  const { id } = made.resource;
  // It is made, whatever becomes of the look.
  const look = async () => (await single.find(call).catch(ignoreFailure)) ?? [];
  const first = await look();
  if (!first.some((each) => each.id === id)) return made;
  const listLeft = (found: readonly Resource<T>[]) =>
    found.filter((each) => each.id !== id && first.some((other) => other.id === each.id)).toSorted(compareAge);
  let twins = listLeft(first);
  // The maker of a younger one withdraws it, unless it looked before this one could be seen: a resource has its date before.
  if (twins[0] && compareAge(made.resource, twins[0]) < 0) {
    const lookAgain = async () => listLeft(await look());
    const areLeft = (left: typeof twins) => left.length > 0;
    twins = await retry(lookAgain, {
      afterResult: areLeft,
      attempts: LOOKS,
      backoff: betweenLooks,
      signal: call.signal,
    });
  }
  const [kept] = twins;
  if (!kept) return made;
  await withdraw(client, made.resource, kept.id, call);
  // The maker of the other one may have withdrawn it meanwhile.
  const resource = (await look()).find((each) => each.id !== id);
  return resource ? { resource, created: false } : createSingle(client, single, call);
}

/** How often one looks whether a twin is withdrawn, in two seconds or so. */
const LOOKS = 8;
const betweenLooks: Backoff = { first: 100, longest: 600 };

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

/** How many are sent at the same moment. A server that does not keep them apart may do so once, so it is tried some times. */
const RACERS = 10;
const ROUNDS = 10;
/** Milliseconds after which no further round begins; the trial is made again then, with the next test of the server. */
const TRIAL_MS = 5_000;

/** Finds out, once, whether of several conditional creates at the same moment one alone creates; FHIR does not demand it. */
export async function tryRace(client: FhirClient, codes: Codes, call: ServerCall): Promise<void> {
  const { ladder } = client;
  if (ladder.isTried('Basic', 'atomic If-None-Exist')) return;
  const endsAt = performance.now() + TRIAL_MS;
  for (let round = 1; performance.now() < endsAt; round++) {
    const made = await race(client, codes, call);
    if (made > 1) ladder.notice('Basic', 'atomic If-None-Exist');
    else if (made === 1 && round === ROUNDS) ladder.confirm('Basic', 'atomic If-None-Exist');
    if (made !== 1 || round === ROUNDS) return;
  }
}

/** Creates one resource so many times at once, and removes what was made; returns how many that were. */
async function race(client: FhirClient, codes: Codes, call: ServerCall): Promise<number> {
  const system = codes.sid('probe');
  const value = randomUUID();
  const code = { text: 'probe of a gateway, may be deleted' };
  const draft = { resourceType: 'Basic' as const, code, identifier: [{ system, value }] };
  const query = { identifier: formatToken(system, value) };
  const create = () => client.create(draft, call, query).catch(ignoreFailure);
  await Promise.all(Array.from({ length: RACERS }, create));
  const { matches } = await client.search('Basic', query, call);
  for (const { id } of matches) await client.remove('Basic', id, call).catch(ignoreFailure);
  return matches.length;
}
