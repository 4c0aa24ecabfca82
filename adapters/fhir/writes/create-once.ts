import { type Call, Failure } from '../../../src/ports/index.ts';
import { pauseBeforeRetry } from '../../../src/toolkit/http-client/retry-pause.ts';
import type { Client } from '../rest/client.ts';
import type { Draft, Resource, ResourceType } from '../schema/resources.ts';
import { confirmWrite } from './confirm-write.ts';
import { discardMisfit } from './discard-misfit.ts';

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
export async function createOnce<T extends ResourceType>(
  client: Client,
  draft: Draft<T>,
  unique: Unique<T>,
  call: Call,
): Promise<{ readonly resource: Resource<T>; readonly isOwn: boolean }> {
  const { find, fits, isOwn } = unique;
  const findOwn = async (call: Call) => {
    const resource = (await find(call)).find(isOwn);
    return resource && { resource, created: true };
  };
  for (let earlier = 0; ; earlier++) {
    const create = () => client.create(draft, call, toQuery(unique, earlier));
    try {
      const { resource, created } = await confirmWrite(create, findOwn, call);
      if (created && !fits(resource)) await discardMisfit(client, resource, call);
      return { resource, isOwn: created || isOwn(resource) };
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
      const found = await find(call);
      const own = found.find(isOwn);
      const resource = own ?? found[0];
      if (resource) return { resource, isOwn: own !== undefined };
      if (earlier + 1 >= TRIES || call.signal.aborted) throw error;
      await pauseBeforeRetry(earlier, call.signal);
    }
  }
}

/**
 * Some servers refuse criteria for an hour after the resource that was created under them was deleted, but take the same
 * ones in other words: the token is said once more with every second try.
 */
function toQuery({ token: [name, value], others }: Pick<Unique<ResourceType>, 'token' | 'others'>, earlier: number) {
  return { ...others, [name]: Array.from({ length: 1 + Math.floor(earlier / 2) }, () => value).join(',') };
}
