import { type Call, Failure } from '../../../src/ports/index.ts';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import type { Client } from '../rest/client.ts';
import type { Resource } from '../schema/resources.ts';
import { startLastLook } from './confirm-write.ts';

/**
 * Removes what was just created and has not kept by what it is known: nobody would find it, and it would be created again.
 * @throws Failure bad_answer when it is gone, outcome_unknown when the server does not remove it.
 */
export async function discardMisfit(client: Client, { resourceType, id }: Resource, call: Call): Promise<never> {
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
