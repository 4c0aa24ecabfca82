import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { badAnswer } from '../../src/http-client/failures.ts';
import { type Call, Failure, throwKeyReused } from '../../src/ports/index.ts';
import { retry } from '../../src/toolkit/backoff.ts';
import { computeDigest } from '../common/key-store.ts';
import { isOutcomeUnknown, settleWrite } from '../common/outcome.ts';
import type { FhirClient } from './rest/client.ts';
import { isNonAtomicTransaction, isRefused, toRefusal } from './rest/errors.ts';
import { createSingle } from './rest/uniqueness.ts';
import { type FhirIdentifier, findIdentifierValue } from './schema/datatypes.ts';
import type { Changes, NewResource, Resource, ResourceType } from './schema/resources.ts';

/** Milliseconds that the look for a write, or the removal of what it left, may take after the call has ended. */
const LAST_LOOK_MS = 1_500;

/** The call with a signal of its own, which ends 1.5 s from now, also when the signal of the call has aborted. */
export function startLastLook({ timeLeft: _over, ...call }: Call): Call {
  return { ...call, signal: AbortSignal.timeout(LAST_LOOK_MS) };
}

/**
 * Writes, and judges a write of unknown outcome by what is there.
 * @param find looks for what the write leaves, within 1.5 s of its own; undefined when it is not there.
 * @throws Failure of the write; outcome_unknown when the write cannot be looked for, or is not found; invalid when it is not
 *   found and the server says that it refused it.
 */
export const confirmWrite = <T>(
  write: () => Promise<T>,
  find: (call: Call) => Promise<T | undefined>,
  call: Call,
): Promise<T> =>
  settleWrite(write, () => find(startLastLook(call)), {
    mayBeDone: (error) => isOutcomeUnknown(error) && !isNonAtomicTransaction(error),
    whenMissing: (error) => (isRefused(error) ? toRefusal(error.cause) : error),
  });

/** Updates as `FhirClient.update` does; after an uncertain answer it was done if the resource is then as it was to become. */
export async function confirmUpdate<T extends ResourceType>(
  client: FhirClient,
  resource: Resource<T>,
  changes: Changes<T>,
  call: Call,
): Promise<void> {
  const update = async () => {
    await client.update(resource, changes, call);
    return true;
  };
  const find = async (lastLook: Call) => {
    const stored: object | undefined = await client.readCurrent(resource.resourceType, resource.id, lastLook);
    return (stored && hasSameJson({ ...stored, ...changes }, stored)) || undefined;
  };
  await confirmWrite(update, find, call);
}

/** JSON knows no difference between an absent element and an undefined one. */
const hasSameJson = (one: object, other: object): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));

/** What there must be once. */
export interface Unique<T extends ResourceType> {
  /** A search parameter and its value, which every match fits. */
  readonly token: readonly [name: string, value: string];
  /** The other search criteria. */
  readonly others: Readonly<Record<string, string>>;
  /** Finds what meets the criteria. */
  readonly find: (call: Call) => Promise<readonly Resource<T>[]>;
  /** Whether it is what there must be once; what a server makes of a create may be something else. */
  readonly fits: (resource: Resource<T>) => boolean;
  /** Whether this write has left it: a write whose answer was lost is known by that. */
  readonly isOwn: (resource: Resource<T>) => boolean;
}

const TRIES = 8;

/**
 * Creates unless something meets the criteria, and returns what is there. Of several at the same moment one creates, since
 * nothing is sent without the criteria.
 * @throws Failure conflict when the server keeps on refusing although nothing meets them; outcome_unknown when the create
 *   was sent and what it leaves is not found.
 */
export function createOnce<T extends ResourceType>(
  client: FhirClient,
  draft: NewResource<T>,
  unique: Unique<T>,
  call: Call,
): Promise<{ readonly resource: Resource<T>; readonly isOwn: boolean }> {
  const { token, others } = unique;
  const key = [draft.resourceType, ...token, ...Object.values(others)].join('?');
  return client.creates.runExclusive(key, () => createInTurn(client, draft, unique, call));
}

async function createInTurn<T extends ResourceType>(
  client: FhirClient,
  draft: NewResource<T>,
  unique: Unique<T>,
  call: Call,
): Promise<{ readonly resource: Resource<T>; readonly isOwn: boolean }> {
  const { find, fits, isOwn } = unique;
  const findOwn = async (call: Call) => {
    const resource = (await find(call)).find(isOwn);
    return resource && { resource, created: true };
  };
  const createOrFind = async (earlier: number) => {
    const fitting = async (look: Call) => (await find(look)).filter(fits);
    const create = () => createSingle(client, { draft, criteria: toQuery(unique, earlier), find: fitting }, call);
    try {
      const { resource, created } = await confirmWrite(create, findOwn, call);
      if (created && !fits(resource)) await discardMisfit(client, resource, call);
      return { resource, isOwn: created || isOwn(resource) };
    } catch (error) {
      if (!isConflict(error)) throw error;
      const found = await find(call);
      const own = found.find(isOwn);
      const resource = own ?? found[0];
      if (!resource) throw error;
      return { resource, isOwn: own !== undefined };
    }
  };
  return retry(createOrFind, { afterError: isConflict, attempts: TRIES, signal: call.signal });
}

const isConflict = (error: unknown): boolean => error instanceof Failure && error.kind === 'conflict';

/**
 * Some servers refuse criteria for an hour after the resource that was created under them was deleted, but take the same
 * ones in other words: the token is said once more with every second try.
 */
function toQuery({ token: [name, value], others }: Pick<Unique<ResourceType>, 'token' | 'others'>, earlier: number) {
  return { ...others, [name]: Array.from({ length: 1 + Math.floor(earlier / 2) }, () => value).join(',') };
}

/** Removes what was created without what it is known by; throws bad_answer, or outcome_unknown when it stays. */
export async function discardMisfit(client: FhirClient, { resourceType, id }: Resource, call: Call): Promise<never> {
  const failure = badAnswer('identifier_not_kept', `${resourceType}/identifier`);
  const { cause, at } = failure;
  try {
    await client.remove(resourceType, id, startLastLook(call));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = 'the server has not kept what it was sent, and what it made of it could not be removed';
    throw new Failure('outcome_unknown', message, { cause, at });
  }
  throw failure;
}

/** What a write stores with its resource so that it can be found again. It reveals neither `Idempotency-Key` nor content. */
export interface ResourceKey {
  /** The same for the same `Idempotency-Key` of the same client, else random. */
  readonly value: string;
  /** A digest of what is written; absent when the caller sent no `Idempotency-Key`. */
  readonly content?: string;
}

/** The key of a write of a kind that happens once under an `Idempotency-Key`, and is refused with another content. */
export const computeWriteKey = async (call: Call, kind: string, content: unknown): Promise<ResourceKey> => ({
  value: await computeKey(call, kind),
  ...(call.idempotencyKey !== undefined && { content: await computeKey(call, kind, content) }),
});

/** The key of a write that is known by it when it is repeated with the same content; with another it is another write. */
export const computeRepetitionKey = async (call: Call, kind: string, content: unknown): Promise<ResourceKey> => ({
  value: await computeKey(call, kind, content),
});

const computeKey = async ({ client, idempotencyKey }: Call, ...parts: readonly unknown[]): Promise<string> =>
  idempotencyKey === undefined ? randomUUID() : computeDigest([client, idempotencyKey, ...parts]);

const getContentSystem = (system: string): string => `${system}-content`;

/** The identifiers that the resource gets: the key in this system, and the digest in one of its own. */
export const toKeyIdentifiers = ({ value, content }: ResourceKey, system: string) => [
  { system, value },
  ...(content === undefined ? [] : [{ system: getContentSystem(system), value: content }]),
];

/** The resource that a write with this key has left; throws invalid `idempotency_key_reused` for another content. */
export function findByWriteKey<R extends { readonly identifier?: readonly FhirIdentifier[] | undefined }>(
  { value, content }: ResourceKey,
  system: string,
  found: readonly R[],
): R | undefined {
  const own = found.find(({ identifier }) => findIdentifierValue(identifier, [system]) === value);
  const stored = findIdentifierValue(own?.identifier, [getContentSystem(system)]);
  if (stored === undefined || stored === content) return own;
  throwKeyReused();
}

/**
 * Tries again, ten times unless told otherwise, when somebody else changed the resource between the read and the write of the
 * attempt: what was asked for still applies to the resource as it is now.
 * @param attempt reads, changes and writes; it gets the number of attempts before it.
 * @throws what the last attempt throws.
 */
export async function retryOnConflict<T>(
  attempt: (earlier: number) => Promise<T>,
  { signal }: Call,
  retries = 10,
): Promise<T> {
  return retry(attempt, {
    afterError: (error) => error instanceof Failure && error.code === 'version_conflict',
    attempts: retries + 1,
    signal,
  });
}
