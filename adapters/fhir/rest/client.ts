import type { Axios } from 'axios';
import { createByteClient } from '../../../src/http-client/axios.ts';
import type { HttpOptions } from '../../../src/http-client/exchange.ts';
import { badAnswer, getCauseCode, TOO_LARGE } from '../../../src/http-client/failures.ts';
import { type Credentials, createCredentials, forOthers, readTls } from '../../../src/http-client/oauth.ts';
import { Failure } from '../../../src/ports/index.ts';
import { retry } from '../../../src/toolkit/backoff.ts';
import { isId, parseReferenceId, type Reference } from '../schema/datatypes.ts';
import { createIsHidden } from '../schema/read.ts';
import type { Changes, NewResource, Resource, ResourceType } from '../schema/resources.ts';
import type { Settings } from '../settings.ts';
import { formatBinary, readContent } from './binary.ts';
import {
  isMissing,
  isPage,
  parseBody,
  parseJson,
  parseLocation,
  readOutcome,
  type ServerReply,
  stringifyDecimals,
  toResponseFailure,
} from './decode.ts';
import { parseOutcome, toStatusFailure } from './errors.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { formatElements, type Ladder } from './ladder.ts';
import { listLeftOut, reportOmitted } from './omitted.ts';
import { encodeQuery, type SearchQuery } from './query.ts';
import { Referring } from './referring.ts';
import { getVersion, parseResource, toWritten } from './resource.ts';
import { type Limits, parseSearchPage, type SearchOptions, searchAllPages } from './search.ts';
import { SearchResult } from './search-result.ts';
import {
  type EntryResult,
  isDone,
  NonAtomicTransaction,
  parseTransactionResponse,
  type TransactionEntry,
  toBundleEntry,
} from './transaction-entries.ts';
import { type FaultSignal, type ServerCall, type ServerPaths, type ServerRequest, Transport } from './transport.ts';

const IDS_PER_SEARCH = 50;
const json = { 'Content-Type': 'application/fhir+json; charset=utf-8' };

/** The FHIR R4 REST API of one server. What it returns has been checked to be what was asked for. */
export class FhirClient {
  /** Serializes the writes of what must be made once, by what it is known by. */
  readonly creates = new KeyedMutex();
  readonly #transport: Transport;
  readonly #paths: ServerPaths;
  readonly #limits: Limits;
  readonly #isHidden: (resource: Resource) => boolean;
  readonly #referring = new Referring(this);

  /** @param isHidden what is never returned, as if it were not there. */
  constructor(transport: Transport, limits: Limits, isHidden: (resource: Resource) => boolean = () => false) {
    this.#isHidden = isHidden;
    this.#transport = transport;
    this.#paths = transport.paths;
    this.#limits = limits;
  }

  /**
   * The resource; undefined when there is none, and without asking when no server could have such an id. It may be an older
   * version, for a day, where the server died between a commit and its cache; see
   * docs/decisions/fhir.md#a-plain-read-may-be-old-a-search-is-not.
   */
  async read<T extends ResourceType>(type: T, id: string, call: ServerCall): Promise<Resource<T> | undefined> {
    if (!isId(id)) return undefined;
    const path = this.#paths.build(type, id);
    const reply = await this.#get(path, call).catch((error: unknown) => {
      if (!(error instanceof Failure) || getCauseCode(error) !== TOO_LARGE) throw error;
      return this.#get(`${path}?_elements=${formatElements(type)}`, call);
    });
    if (isMissing(reply) && !isPage(reply)) return undefined;
    const body = parseBody(reply);
    if (isInOtherCase(body.id, id)) return undefined;
    const resource = parseResource(type, body, id);
    if (this.#isHidden(resource)) return undefined;
    reportOmitted(listLeftOut(resource), call);
    return resource;
  }

  /**
   * Everything that matches, with what the server included.
   * @throws Failure bad_answer when it is more than the limits allow, since a part is never returned for the whole; and
   *   when a match cannot be read, unless the search is lenient.
   */
  async search<T extends ResourceType>(
    type: T,
    query: SearchQuery,
    call: ServerCall,
    options: SearchOptions = {},
  ): Promise<SearchResult<T>> {
    const { entries = 0, pages = 0, asAnswered } = options;
    const limits = { entries: Math.max(this.#limits.entries, entries), pages: Math.max(this.#limits.pages, pages) };
    const all = await searchAllPages(this.#transport, { type, query }, { ...options, ...limits }, call);
    const found = all.without(this.#isHidden);
    if (asAnswered) return found;
    await this.#referring.complete(type, query, found, call);
    reportOmitted(found.leftOut, call);
    return found;
  }

  /** As `searchInBatch` does; undefined, too, where the server does not sort or count, or takes no such window of slots. */
  async searchAtOnce<T extends ResourceType>(type: T, queries: readonly SearchQuery[], call: ServerCall) {
    const { ladder } = this;
    if (!ladder.heeds(type, '_sort') || !ladder.heeds(type, '_total')) return undefined;
    const asked = queries.map((query) => ladder.begin(type, query).query);
    if (asked.some(({ start }, index) => start !== queries[index]?.start)) return undefined;
    const results = await searchInBatch(this.#transport, type, asked, call);
    for (const [index, found] of results?.entries() ?? []) {
      await this.#referring.complete(type, queries[index] ?? {}, found, call);
    }
    return results;
  }

  /** The optional parts of FHIR that the server was seen not to support. */
  get ladder(): Ladder {
    return this.#transport.ladder;
  }

  /** Finds out, once, whether the server obeys where no answer shows it. */
  prepare(call: ServerCall): Promise<void> {
    return this.#referring.prepare(call);
  }

  /** The resource as it is now: searches ask the server's database. */
  async readCurrent<T extends ResourceType>(type: T, id: string, call: ServerCall): Promise<Resource<T> | undefined> {
    return (await this.readMany(type, [id], call)).find(id);
  }

  /** How many resources meet the query; undefined where the server does not count, or refuses to. */
  async count(type: ResourceType, query: SearchQuery, call: ServerCall): Promise<number | undefined> {
    try {
      return (await this.search(type, { ...query, _summary: 'count' }, call, { onePage: true, lenient: true })).total;
    } catch (error) {
      if (error instanceof Failure && error.kind === 'bad_answer') return undefined;
      throw error;
    }
  }

  /** As `search` does, for the resources with these ids. */
  async readMany<T extends ResourceType>(
    type: T,
    ids: readonly string[],
    call: ServerCall,
    options: SearchOptions = {},
  ): Promise<SearchResult<T>> {
    const wanted = [...new Set(ids)].filter(isId);
    const found: SearchResult<T>[] = [];
    for (let from = 0; from < wanted.length; from += IDS_PER_SEARCH) {
      const chunk = wanted.slice(from, from + IDS_PER_SEARCH);
      const query = { _id: chunk.join(','), _count: String(IDS_PER_SEARCH) };
      found.push(await this.search(type, query, call, options));
    }
    return SearchResult.join(type, found);
  }

  /** Fetches the resources of this type that are referred to and were not included: servers cap includes silently. */
  async fetchMissing<T extends ResourceType, U extends ResourceType>(
    found: SearchResult<T>,
    type: U,
    references: readonly (Reference | undefined)[],
    call: ServerCall,
  ): Promise<void> {
    const ids = references.flatMap((each) => parseReferenceId(each, type) ?? []);
    const missing = ids.filter((id) => !found.has(`${type}/${id}`));
    found.add(await this.readMany(type, missing, call, { lenient: true }));
  }

  /** Creates; with `ifNoneExist` only when nothing matches it, else returns what does; throws conflict for several. */
  async create<T extends ResourceType>(
    draft: NewResource<T>,
    call: ServerCall,
    ifNoneExist?: SearchQuery,
  ): Promise<{ readonly resource: Resource<T>; readonly created: boolean }> {
    const headers = {
      ...json,
      Prefer: 'return=representation',
      ...(ifNoneExist && { 'If-None-Exist': encodeQuery(ifNoneExist) }),
    };
    const path = this.#paths.build(draft.resourceType);
    const reply = await this.#write({ method: 'POST', path, headers, body: JSON.stringify(draft) }, call);
    const created = reply.status === 201;
    return understand(async () => {
      if (reply.body.length > 0) return { resource: parseResource(draft.resourceType, parseJson(reply)), created };
      const resource = await this.read(draft.resourceType, parseCreatedId(reply, draft.resourceType), call);
      if (!resource) throw badAnswer('created_nothing');
      return { resource, created };
    });
  }

  /** Stores bytes, as they are or in JSON where the server takes them so alone, and returns the id of the `Binary`. */
  async upload(bytes: Uint8Array, contentType: string, call: ServerCall): Promise<string> {
    const { ladder } = this;
    const path = this.#paths.build('Binary');
    const send = async (headers: Record<string, string>, body: string | Uint8Array) => {
      const prefer = { ...headers, Prefer: 'return=minimal' };
      const reply = await this.#write({ method: 'POST', path, headers: prefer, body }, call);
      return understand(() =>
        reply.headers.location ? parseCreatedId(reply, 'Binary') : parseResource('Binary', parseJson(reply)).id,
      );
    };
    const sendJson = () => send(json, formatBinary(bytes, contentType));
    if (!ladder.heeds('Binary', 'bytes')) return sendJson();
    return send({ 'Content-Type': contentType }, bytes).catch(async (error: unknown) => {
      if (!(error instanceof Failure) || !/^HTTP_(400|406|415)$/.test(getCauseCode(error) ?? '')) throw error;
      const id = await sendJson();
      ladder.notice('Binary', 'bytes', error);
      return id;
    });
  }

  /** The bytes of a `Binary`; undefined when there is none, and not_found where a page for people is in its place. */
  async download(id: string, call: ServerCall, version?: string): Promise<Uint8Array | undefined> {
    if (!isId(id) || !isId(version ?? id)) return undefined;
    const reply = await this.#get(this.#paths.build('Binary', id, version), call, { Accept: '*/*' });
    if (isMissing(reply) && !isPage(reply)) return undefined;
    if (reply.status !== 200) throw toResponseFailure(reply, 'read');
    return readContent(reply.body, id);
  }

  /** Changes these elements alone; throws conflict `version_conflict` when somebody else did since the read. */
  async update<T extends ResourceType>(resource: Resource<T>, changes: Changes<T>, call: ServerCall): Promise<void> {
    const headers = { ...json, Prefer: 'return=representation', 'If-Match': getVersion(resource) };
    const path = this.#paths.build(resource.resourceType, resource.id);
    const body = stringifyDecimals(toWritten(resource, changes));
    const reply = await this.#write({ method: 'PUT', path, headers, body }, call);
    if (reply.body.length === 0 && reply.headers.etag !== undefined) return;
    await understand(() => parseResource(resource.resourceType, parseJson(reply), resource.id));
  }

  /** @throws Failure conflict when other resources refer to it. */
  async remove(type: ResourceType, id: string, call: ServerCall): Promise<void> {
    const reply = await this.#write({ method: 'DELETE', path: this.#paths.build(type, id) }, call);
    if (reply.status !== 204) await understand(() => parseJson(reply));
  }

  /** Executes all entries or none, and returns the results; throws NonAtomicTransaction when a part was executed. */
  async transaction(entries: readonly TransactionEntry[], call: ServerCall): Promise<EntryResult[]> {
    const bundle = {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: entries.map((each) => toBundleEntry(each, this.#paths)),
    };
    const reply = await this.#write({ method: 'POST', path: '', headers: json, body: stringifyDecimals(bundle) }, call);
    const results = await understand(() => parseTransactionResponse(parseJson(reply), entries.length));
    const failed = results.find((each) => !isDone(each));
    if (!failed) return results;
    if (results.some(isDone)) throw new NonAtomicTransaction(results);
    throw toStatusFailure(failed.status, parseOutcome(failed.outcome), 'entry');
  }

  /** The capability statement, unchecked. */
  async metadata(call: ServerCall): Promise<Record<string, unknown>> {
    return parseBody(await this.#get('/metadata', call));
  }

  #get(path: string, call: ServerCall, headers: ServerRequest['headers'] = {}): Promise<ServerReply> {
    return this.#transport.send({ method: 'GET', path, headers, write: false }, call);
  }

  /** Sends until the server has looked at it: a serialization failure says that nothing was executed. */
  async #write(request: Omit<ServerRequest, 'write'>, call: ServerCall): Promise<ServerReply> {
    const reply = await retry(() => this.#transport.send({ ...request, write: true }, call), {
      afterResult: (refused) => refused.status === 409 && readOutcome(refused).isSerializationFailure,
      signal: call.signal,
    });
    if (reply.status >= 200 && reply.status <= 299) return reply;
    throw toResponseFailure(reply, request.method === 'POST' ? 'new' : 'known', readOutcome(reply));
  }
}

/** What the answer to a write says; one that cannot be used proves nothing, and throws outcome_unknown. */
async function understand<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { cause, at } = error;
    const message = 'the FHIR server answered a write with what cannot be used';
    throw new Failure('outcome_unknown', message, { cause, at });
  }
}

/** Whether it is the id of another resource: some servers find ids, UUIDs above all, in any letter case. */
const isInOtherCase = (found: unknown, id: string): boolean =>
  found !== id && String(found).toLowerCase() === id.toLowerCase();

function parseCreatedId({ headers }: ServerReply, expected: ResourceType): string {
  const { type, id } = parseLocation(headers.location);
  if (type !== expected || id === undefined) throw badAnswer('no_location');
  return id;
}

const headers = { 'Content-Type': 'application/fhir+json; charset=utf-8', 'Cache-Control': 'no-cache' };

/** The first pages of several searches, by one request; undefined where the server does not execute all of a batch. */
async function searchInBatch<T extends ResourceType>(
  transport: Transport,
  type: T,
  queries: readonly SearchQuery[],
  call: ServerCall,
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

/** What of the settings says how to reach a server. */
export type ServerSettings = Pick<
  Settings,
  | 'baseUrl'
  | 'bases'
  | 'auth'
  | 'timeout'
  | 'connections'
  | 'retries'
  | 'retryBudget'
  | 'limits'
  | 'tls'
  | 'hidePatients'
>;

/** A server, and how it is reached. */
export interface ServerConnection {
  readonly client: FhirClient;
  /** For other hosts: it sends neither the credentials nor the client certificate. */
  readonly elsewhere: Axios;
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly tls: HttpOptions['tls'];
}

/** The client of the server; throws SettingsProblem when a secret or a file is missing, or a key cannot be used. */
export async function connect(access: ServerSettings, faults?: FaultSignal): Promise<ServerConnection> {
  const { timeout, connections, retries, retryBudget, limits } = access;
  const tls = readTls(access);
  const options = { timeout, connections, retries, retryBudget, maxBytes: limits.bytes, tls };
  const credentials = await createCredentials(access, access.baseUrl, options);
  const transport = new Transport(credentials, { ...options, base: access.baseUrl, bases: access.bases }, faults);
  const client = new FhirClient(transport, limits, createIsHidden(access));
  return { client, elsewhere: createByteClient(forOthers(options)), transport, credentials, tls };
}
