import { ignoreFailure } from '../../../src/toolkit/ignore-failure.ts';
import { type EntryResult, isDone } from './bundle.ts';
import type { Client } from './client.ts';
import type { Entry } from './entry.ts';
import type { Caller } from './transport.ts';

/** Milliseconds for all of it, also when the call has ended. */
const UNDO_MS = 5_000;

/**
 * Undoes the entries that a server executed of a transaction, by what its answer names: removes what was created, and
 * restores what was changed, unless somebody changed it again.
 * @returns the types of the resources that may still be as the transaction left them.
 */
export async function undoTransaction(
  client: Client,
  entries: readonly Entry[],
  results: readonly EntryResult[],
  { requestId }: Caller,
): Promise<readonly string[]> {
  const call = { requestId, signal: AbortSignal.timeout(UNDO_MS) };
  const left = new Set<string>();
  // Entries may refer to those before them, and servers keep what is referred to.
  for (const [index, entry] of [...entries.entries()].reverse()) {
    const result = results[index];
    const isUndone = result && (await undoEntry(client, entry, result, call).catch(ignoreFailure));
    if (!isUndone) left.add('create' in entry ? entry.create.resourceType : entry.update.resourceType);
  }
  return [...left];
}

/** Whether nothing is left of the entry. */
async function undoEntry(client: Client, entry: Entry, result: EntryResult, call: Caller): Promise<boolean> {
  const { status, type, id, version } = result;
  if (!isDone(result)) return status >= 400 && status <= 499 && status !== 408;
  if ('create' in entry) {
    if (entry.ifNoneExist && status === 200) return true;
    const { resourceType } = entry.create;
    if (type !== resourceType || id === undefined) return false;
    await client.remove(resourceType, id, call);
    return true;
  }
  if (version === undefined) return false;
  const { update } = entry;
  await client.update({ ...update, meta: { ...update.meta, versionId: version } }, {}, call);
  return true;
}
