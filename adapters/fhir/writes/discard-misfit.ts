import { type Call, Failure } from '../../../src/ports/index.ts';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import type { Client } from '../rest/client.ts';
import type { Resource } from '../schema/resources.ts';
import { startLastLook } from './confirm-write.ts';

/** Removes what was created without what it is known by; throws bad_answer, or outcome_unknown when it stays. */
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
