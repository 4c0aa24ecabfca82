import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { badAnswer } from '../../src/http-client/failures.ts';
import { type Call, Failure, throwKeyReused } from '../../src/ports/index.ts';
import { retry } from '../../src/toolkit/backoff.ts';
import { computeDigest } from '../common/key-store.ts';
import { isOutcomeUnknown, settleWrite } from '../common/outcome.ts';
import type { FhirClient } from './rest/client.ts';
import { formatResource } from './rest/decode.ts';
import { isNonAtomicTransaction, isRefused, toRefusal } from './rest/errors.ts';
import { createSingle } from './rest/uniqueness.ts';
import { type FhirIdentifier, findIdentifierValue } from './schema/datatypes.ts';
import type { Changes, NewResource, Resource, ResourceType } from './schema/resources.ts';

/** The time limit in milliseconds of a look or a removal after the end of the call. */
const LAST_LOOK_MS = 1_500;

/** Returns the call with a new signal, which aborts 1.5 s from now, even if the call's own signal has aborted. */
export function startLastLook({ timeLeft: _over, ...call }: Call): Call {
  return { ...call, signal: AbortSignal.timeout(LAST_LOOK_MS) };
}

/**
 * Writes. If the outcome is unknown, it looks for the effect.
 * @param find looks for the effect of the write, with 1.5 s of its own; undefined if there is none.
 * @throws Failure of the write.
 * @throws Failure outcome_unknown when the look fails or finds nothing.
 * @throws Failure invalid when it finds nothing and the server reports a rejection.
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

/**
 * Updates as `FhirClient.update` does. After an unknown outcome, the update succeeded if the resource has the new
 * content.
 */
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

/** Absent, undefined and empty elements are the same. */
const hasSameJson = (one: object, other: object): boolean =>
  isDeepStrictEqual(JSON.parse(formatResource(one)), JSON.parse(formatResource(other)));

/** A resource that must be unique. */
export interface Unique<T extends ResourceType> {
  /** A search parameter and its value, which every match has. */
  readonly token: readonly [name: string, value: string];
  /** The other search criteria. */
  readonly others: Readonly<Record<string, string>>;
  /** Finds the resources that meet the criteria. */
  readonly find: (call: Call) => Promise<readonly Resource<T>[]>;
  /** True if a resource is valid: a server may store something else than was sent. */
  readonly fits: (resource: Resource<T>) => boolean;
  /** True if this write created the resource, which identifies it after a lost answer. */
  readonly isOwn: (resource: Resource<T>) => boolean;
}

const TRIES = 8;

/**
 * Creates a resource unless one meets the criteria, and returns the existing or new one. Of parallel calls, one
 * creates, because every create has the criteria as its condition.
 * @throws Failure conflict when the server keeps rejecting although nothing meets the criteria.
 * @throws Failure outcome_unknown when the create was sent and its resource is not found.
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
      if (created && !fits(resource)) await discardInvalid(client, resource, call);
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
 * Some servers reject criteria for an hour after their resource was deleted, but accept an equivalent form: every
 * second attempt repeats the token.
 */
function toQuery({ token: [name, value], others }: Pick<Unique<ResourceType>, 'token' | 'others'>, earlier: number) {
  return { ...others, [name]: Array.from({ length: 1 + Math.floor(earlier / 2) }, () => value).join(',') };
}

/**
 * Removes a resource without its identifying elements. Throws bad_answer, or outcome_unknown if it cannot be removed.
 */
export async function discardInvalid(client: FhirClient, { resourceType, id }: Resource, call: Call): Promise<never> {
  const failure = badAnswer('identifier_not_kept', `${resourceType}/identifier`);
  const { cause, at } = failure;
  try {
    await client.remove(resourceType, id, startLastLook(call));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = 'the server has stored something else than was sent, and its resource could not be removed';
    throw new Failure('outcome_unknown', message, { cause, at });
  }
  throw failure;
}

/** The key that a write stores with its resource. It reveals neither `Idempotency-Key` nor content. */
export interface ResourceKey {
  /** Depends on the client and its `Idempotency-Key`. Random without a key. */
  readonly value: string;
  /** A digest of the content. Absent without an `Idempotency-Key`. */
  readonly content?: string;
}

/** The key of a write that happens once for each `Idempotency-Key`. Another content with the same key is an error. */
export const computeWriteKey = async (call: Call, kind: string, content: unknown): Promise<ResourceKey> => ({
  value: await computeKey(call, kind),
  ...(call.idempotencyKey !== undefined && { content: await computeKey(call, kind, content) }),
});

/** The key of a write that a repetition with the same content finds. With another content, it is another write. */
export const computeRepetitionKey = async (call: Call, kind: string, content: unknown): Promise<ResourceKey> => ({
  value: await computeKey(call, kind, content),
});

const computeKey = async ({ client, idempotencyKey }: Call, ...parts: readonly unknown[]): Promise<string> =>
  idempotencyKey === undefined ? randomUUID() : computeDigest([client, idempotencyKey, ...parts]);

const getContentSystem = (system: string): string => `${system}-content`;

/** The identifiers of the resource: the key in this system, and the digest in another one. */
export const toKeyIdentifiers = ({ value, content }: ResourceKey, system: string) => [
  { system, value },
  ...(content === undefined ? [] : [{ system: getContentSystem(system), value: content }]),
];

/** The resource of an earlier write with this key. Throws invalid `idempotency_key_reused` if its content differs. */
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
 * Retries after a version conflict, ten times by default: the request still applies to the changed resource.
 * @param attempt reads, changes and writes; it gets the number of attempts before it.
 * @throws the error of the last attempt.
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
