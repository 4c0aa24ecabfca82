import { isDeepStrictEqual } from 'node:util';
import { type Call, Failure } from '../../../src/ports/index.ts';
import { ignoreFailure } from '../../../src/toolkit/ignore-failure.ts';
import type { Client } from '../rest/client.ts';
import { isPartialTransaction, isRefused, toRefusal } from '../rest/errors.ts';
import type { Changes, Resource, ResourceType } from '../schema/resources.ts';

/** Milliseconds that the look for a write, or the removal of what it left, may take after the call has ended. */
const LAST_LOOK_MS = 1_500;

/** The call with a signal of its own, which ends 1.5 s from now, also when the signal of the call has aborted. */
export function startLastLook({ timeLeft: _over, ...call }: Call): Call {
  return { ...call, signal: AbortSignal.timeout(LAST_LOOK_MS) };
}

/** Whether a write was sent of which nobody knows whether it was done. */
const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof Failure && error.kind === 'outcome_unknown' && !isPartialTransaction(error);

/**
 * Writes, and judges a write of unknown outcome by what is there.
 * @param find looks for what the write leaves, within 1.5 s of its own; undefined when it is not there.
 * @throws Failure of the write; outcome_unknown when the write cannot be looked for, or is not found; invalid when it is not
 *   found and the server says that it refused it.
 */
export async function confirmWrite<T>(
  write: () => Promise<T>,
  find: (call: Call) => Promise<T | undefined>,
  call: Call,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    // If the look fails too, it stays unknown whether the write was done.
    const look = await find(startLastLook(call)).then((found) => ({ found }), ignoreFailure);
    if (look?.found !== undefined) return look.found;
    throw look && isRefused(error) ? toRefusal(error.cause) : error;
  }
}

/** Updates as `Client.update` does; after an uncertain answer it was done if the resource is then as it was to become. */
export async function confirmUpdate<T extends ResourceType>(
  client: Client,
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
