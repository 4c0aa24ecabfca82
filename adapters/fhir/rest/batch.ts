import { Failure } from '../../../src/ports/index.ts';
import type { ResourceType } from '../schema/resources.ts';
import { parseSearchPage, parseTransactionResponse } from './bundle.ts';
import { parseJson } from './decode.ts';
import { SearchResult } from './search-result.ts';
import type { Caller, Transport } from './transport.ts';
import { encodeQuery, type Query } from './url.ts';

const headers = { 'Content-Type': 'application/fhir+json; charset=utf-8', 'Cache-Control': 'no-cache' };

/** The first pages of several searches, by one request; undefined where the server does not execute all of a batch. */
export async function searchInBatch<T extends ResourceType>(
  transport: Transport,
  type: T,
  queries: readonly Query[],
  call: Caller,
): Promise<SearchResult<T>[] | undefined> {
  const entry = queries.map((query) => ({ request: { method: 'GET', url: `${type}?${encodeQuery(query)}` } }));
  const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
  const reply = await transport.send({ method: 'POST', path: '', headers, body, write: false }, call);
  if (reply.status !== 200) return undefined;
  try {
    const results = parseTransactionResponse(parseJson(reply), queries.length);
    return results.map(({ resource }) => new SearchResult(type, [parseSearchPage(type, resource, true)]));
  } catch (error) {
    // An entry that failed has no searchset.
    if (error instanceof Failure && error.kind === 'bad_answer') return undefined;
    throw error;
  }
}
