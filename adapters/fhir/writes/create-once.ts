import { type Call, Failure } from '../../../src/ports/index.ts';
import type { Client } from '../rest/client.ts';
import type { Draft, Resource, ResourceType } from '../schema/resources.ts';
import { pauseBeforeRetry } from './retry-on-conflict.ts';

/** What must be unique, as search criteria; `token` is a parameter that every match fits. */
export interface UniqueCriteria {
  readonly token: readonly [name: string, value: string];
  readonly others: Readonly<Record<string, string>>;
}

const TRIES = 8;

/**
 * Creates unless something meets the criteria, and returns what is there. Of several at the same moment one creates, since
 * nothing is sent without the criteria.
 * @param find looks for what meets the criteria after a conflict.
 * @throws Failure conflict when the server keeps on refusing although nothing meets them.
 */
export async function createOnce<T extends ResourceType>(
  client: Client,
  draft: Draft<T>,
  criteria: UniqueCriteria,
  find: () => Promise<Resource<T> | undefined>,
  call: Call,
): Promise<{ readonly resource: Resource<T>; readonly created: boolean }> {
  for (let earlier = 0; ; earlier++) {
    try {
      return await client.create(draft, call, toQuery(criteria, earlier));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
      const resource = await find();
      if (resource) return { resource, created: false };
      if (earlier + 1 >= TRIES || call.signal.aborted) throw error;
      await pauseBeforeRetry(earlier, call.signal);
    }
  }
}

/**
 * Some servers refuse criteria for an hour after the resource that was created under them was deleted, but take the same
 * ones in other words: the token is said once more with every second try.
 */
function toQuery({ token: [name, value], others }: UniqueCriteria, earlier: number) {
  return { ...others, [name]: Array.from({ length: 1 + Math.floor(earlier / 2) }, () => value).join(',') };
}
