import { randomUUID } from 'node:crypto';
import { type Call, Failure } from '../../../src/ports/index.ts';
import { type Backoff, retry } from '../../../src/toolkit/backoff.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { compareAge, findIdentifierValue, toReference } from '../schema/datatypes.ts';
import type { NewResource, Resource, ResourceType } from '../schema/resources.ts';
import type { Codes } from '../schema/terminology.ts';
import type { FhirClient } from './client.ts';
import { isRefused } from './errors.ts';
import { formatToken, type SearchQuery } from './query.ts';
import type { ServerCall } from './transport.ts';

/** A resource that must be created once, also by parallel callers. */
interface Single<T extends ResourceType> {
  readonly draft: NewResource<T>;
  readonly criteria: SearchQuery;
  /** Finds all resources of which there must be one. */
  readonly find: (call: Call) => Promise<readonly Resource<T>[]>;
}

/**
 * Creates the resource on the condition that there is none. If the server rejects the condition, it looks first. If the
 * condition may fail for parallel creates, it looks afterwards, and withdraws one of two.
 * @throws Failure as `FhirClient.create`; conflict `duplicate_in_backend` when this call's resource could not be
 * withdrawn.
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
  // A failed look is ignored, because the resource is created anyway.
  const look = async () => (await single.find(call).catch(ignoreFailure)) ?? [];
  const first = await look();
  if (!first.some((each) => each.id === id)) return made;
  const listLeft = (found: readonly Resource<T>[]) =>
    found.filter((each) => each.id !== id && first.some((other) => other.id === each.id)).toSorted(compareAge);
  let twins = listLeft(first);
  // The creator of the younger resource withdraws it, unless its look was too early. A resource gets its date before it
  // is visible.
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
  // The creator of the other resource may have withdrawn it in the meantime.
  const resource = (await look()).find((each) => each.id !== id);
  return resource ? { resource, created: false } : createSingle(client, single, call);
}

/** The number of looks for a withdrawn twin, within about two seconds. */
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
  // A create whose content was rejected is rejected again, so it throws.
  const made = await client.create(draft, call);
  if (refusal) ladder.notice(draft.resourceType, 'If-None-Exist', refusal);
  return made;
}

/** Removes the resource. If the server does not allow that, it marks the resource as invalid. */
async function withdraw(client: FhirClient, resource: Resource, eldestId: string, call: Call): Promise<void> {
  try {
    await client.remove(resource.resourceType, resource.id, call);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await retire(client, resource, eldestId, call).catch((cause: unknown) => {
      throw new Failure('conflict', 'a parallel create made a duplicate', {
        code: 'duplicate_in_backend',
        cause,
      });
    });
  }
}

/** A repeated write must not find the duplicate by its key. */
const unnamed = { identifier: undefined } as const;

async function retire(client: FhirClient, resource: Resource, eldestId: string, call: Call): Promise<void> {
  const { resourceType } = resource;
  if (resourceType === 'Patient') {
    const link = [{ other: toReference('Patient', eldestId), type: 'replaced-by' as const }];
    return client.update(resource, { active: false, link }, call);
  }
  if (resourceType === 'RelatedPerson')
    return client.update(resource, { ...unnamed, active: false, period: { end: call.now } }, call);
  if (resourceType === 'Coverage') return client.update(resource, { ...unnamed, status: 'entered-in-error' }, call);
  if (resourceType === 'Task') return client.update(resource, { ...unnamed, status: 'entered-in-error' }, call);
  throw new Failure('unsupported', 'the duplicate cannot be withdrawn');
}

/** The parallel creates of one round, and the number of rounds: a server with a race may still pass one round. */
const RACERS = 5;
const ROUNDS = 8;
/** Milliseconds after which no further round begins. The next test of the server repeats the trial. */
const TRIAL_MS = 5_000;

/** Tests once whether parallel conditional creates create only one resource, which FHIR does not require. */
export async function tryRace(client: FhirClient, codes: Codes, call: ServerCall): Promise<void> {
  const { ladder } = client;
  if (ladder.isTried('Basic', 'atomic If-None-Exist')) return;
  const system = codes.sid('probe');
  const endsAt = performance.now() + TRIAL_MS;
  const values: string[] = [];
  let hasRaced = false;
  while (!hasRaced && values.length < ROUNDS && performance.now() < endsAt) {
    const value = randomUUID();
    values.push(value);
    hasRaced = (await createAtOnce(client, { system, value }, call)) > 1;
  }
  // One search finds the resources of all rounds, even if the answer to a create was lost.
  const identifier = values.map((value) => formatToken(system, value)).join(',');
  const { matches } = await client.search('Basic', { identifier, _count: String(RACERS * ROUNDS) }, call);
  for (const { id } of matches) await client.remove('Basic', id, call).catch(ignoreFailure);
  const made = values.map((value) =>
    matches.filter((each) => findIdentifierValue(each.identifier, [system]) === value),
  );
  if (made.some(({ length }) => length > 1)) ladder.notice('Basic', 'atomic If-None-Exist');
  else if (values.length === ROUNDS && matches.length === ROUNDS) ladder.confirm('Basic', 'atomic If-None-Exist');
}

/** Sends parallel conditional creates of one resource. Returns the number of answers that report a creation. */
async function createAtOnce(
  client: FhirClient,
  identifier: { readonly system: string; readonly value: string },
  call: ServerCall,
): Promise<number> {
  const code = { text: 'probe of a gateway, may be deleted' };
  const draft = { resourceType: 'Basic' as const, code, identifier: [identifier] };
  const query = { identifier: formatToken(identifier.system, identifier.value) };
  const create = () => client.create(draft, call, query).catch(ignoreFailure);
  const made = await Promise.all(Array.from({ length: RACERS }, create));
  return made.filter((each) => each?.created).length;
}
