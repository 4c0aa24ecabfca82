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
  formatResource,
  isMissing,
  isPage,
  parseBody,
  parseJson,
  parseLocation,
  readOutcome,
  type ServerReply,
  toResponseFailure,
} from './decode.ts';
import { parseOutcome, toStatusFailure } from './errors.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { formatElements, type Ladder } from './ladder.ts';
import { listDropped, notePart, reportOmitted } from './omitted.ts';
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

/** The FHIR R4 REST API of one server. Results are validated against the request. */
export class FhirClient {
  /** Serializes creates of resources that must be unique, by their identifying value. */
  readonly creates = new KeyedMutex();
  readonly #transport: Transport;
  readonly #paths: ServerPaths;
  readonly #limits: Limits;
  readonly #isHidden: ((resource: Resource) => boolean) | undefined;
  readonly #referring = new Referring(this);

  /** @param isHidden resources that are treated as nonexistent. Default: none. */
  constructor(transport: Transport, limits: Limits, isHidden?: (resource: Resource) => boolean) {
    this.#isHidden = isHidden;
    this.#transport = transport;
    this.#paths = transport.paths;
    this.#limits = limits;
  }

  /**
   * Returns the resource. Undefined if there is none, and without a request if no server could have such an id. If the
   * server crashed between a commit and its cache, the version may be up to a day old; see
   * docs/explanation/decisions/fhir.md#reads-may-be-old-searches-are-not.
   */
  async read<T extends ResourceType>(type: T, id: string, call: ServerCall): Promise<Resource<T> | undefined> {
    if (!isId(id)) return undefined;
    const path = this.#paths.build(type, id);
    let isPart = false;
    const reply = await this.#get(path, call).catch((error: unknown) => {
      if (!(error instanceof Failure) || getCauseCode(error) !== TOO_LARGE) throw error;
      isPart = true;
      return this.#get(`${path}?_elements=${formatElements(type)}`, call);
    });
    if (isMissing(reply) && !isPage(reply)) return undefined;
    const body = parseBody(reply);
    if (isInOtherCase(body.id, id)) return undefined;
    const resource = parseResource(type, body, id);
    if (this.#isHidden?.(resource)) return undefined;
    if (isPart) notePart(resource);
    reportOmitted(listDropped(resource), call);
    return resource;
  }

  /**
   * Returns all matches and the resources that the server included.
   * @throws Failure bad_answer when the result exceeds the limits, because a partial result is never returned.
   * @throws Failure bad_answer when a match cannot be read, unless the search is lenient.
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
    const found = this.#isHidden ? all.without(this.#isHidden) : all;
    if (asAnswered) return found;
    await this.#referring.complete(type, query, found, call);
    reportOmitted(found.dropped, call);
    return found;
  }

  /** As `searchInBatch`. Also undefined if the server does not sort, count, or accept such a window of slots. */
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

  /** The optional parts of FHIR that the server does not support, as far as known. */
  get ladder(): Ladder {
    return this.#transport.ladder;
  }

  /** True if some resources may be treated as nonexistent. */
  get hidesSome(): boolean {
    return this.#isHidden !== undefined;
  }

  /** Tests once whether the server obeys parameters whose effect no answer shows. */
  prepare(call: ServerCall): Promise<void> {
    return this.#referring.prepare(call);
  }

  /** Reads the current version: searches use the server's database. */
  async readCurrent<T extends ResourceType>(type: T, id: string, call: ServerCall): Promise<Resource<T> | undefined> {
    return (await this.readMany(type, [id], call)).find(id);
  }

  /** The number of matching resources. Undefined if the server does not count. */
  async count(type: ResourceType, query: SearchQuery, call: ServerCall): Promise<number | undefined> {
    try {
      return (await this.search(type, { ...query, _summary: 'count' }, call, { onePage: true, lenient: true })).total;
    } catch (error) {
      if (error instanceof Failure && error.kind === 'bad_answer') return undefined;
      throw error;
    }
  }

  /** As `search`, for the resources with these ids. */
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

  /** Fetches referenced resources of this type that were not included, because servers limit includes silently. */
  async fetchMissing<T extends ResourceType, U extends ResourceType>(
    found: SearchResult<T>,
    type: U,
    references: readonly (Reference | undefined)[],
    call: ServerCall,
  ): Promise<void> {
    const ids = references.flatMap((each) => parseReferenceId(each, type) ?? []);
    const missing = ids.filter((id) => !found.has(`${type}/${id}`) && !found.hides(`${type}/${id}`));
    found.add(await this.readMany(type, missing, call, { lenient: true }));
  }

  /**
   * Creates the resource. With `ifNoneExist`, it returns an existing match instead, and throws conflict for several
   * matches.
   */
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
    const reply = await this.#write({ method: 'POST', path, headers, body: formatResource(draft) }, call);
    const created = reply.status === 201;
    return understand(async () => {
      if (reply.body.length > 0) return { resource: parseResource(draft.resourceType, parseJson(reply)), created };
      const resource = await this.read(draft.resourceType, parseCreatedId(reply, draft.resourceType), call);
      if (!resource) throw badAnswer('created_nothing');
      return { resource, created };
    });
  }

  /** Stores bytes and returns the id of the `Binary`. Sends JSON if the server accepts only that. */
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

  /** The bytes of a `Binary`. Undefined if there is none. Throws not_found for an HTML page. */
  async download(id: string, call: ServerCall, version?: string): Promise<Uint8Array | undefined> {
    if (!isId(id) || !isId(version ?? id)) return undefined;
    const reply = await this.#get(this.#paths.build('Binary', id, version), call, { Accept: '*/*' });
    if (isMissing(reply) && !isPage(reply)) return undefined;
    if (reply.status !== 200) throw toResponseFailure(reply, 'read');
    return readContent(reply.body, id);
  }

  /**
   * Changes only these elements. Throws conflict `version_conflict` if another client has changed the resource since
   * the read.
   */
  async update<T extends ResourceType>(resource: Resource<T>, changes: Changes<T>, call: ServerCall): Promise<void> {
    const headers = { ...json, Prefer: 'return=representation', 'If-Match': getVersion(resource) };
    const path = this.#paths.build(resource.resourceType, resource.id);
    const body = formatResource(toWritten(resource, changes));
    const reply = await this.#write({ method: 'PUT', path, headers, body }, call);
    if (reply.body.length === 0 && reply.headers.etag !== undefined) return;
    await understand(() => parseResource(resource.resourceType, parseJson(reply), resource.id));
  }

  /** @throws Failure conflict when other resources refer to it. */
  async remove(type: ResourceType, id: string, call: ServerCall): Promise<void> {
    const reply = await this.#write({ method: 'DELETE', path: this.#paths.build(type, id) }, call);
    if (reply.status !== 204) await understand(() => parseJson(reply));
  }

  /**
   * Executes all entries or none, and returns the results. Throws NonAtomicTransaction if the server executed only a
   * part.
   */
  async transaction(entries: readonly TransactionEntry[], call: ServerCall): Promise<EntryResult[]> {
    const bundle = {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: entries.map((each) => toBundleEntry(each, this.#paths)),
    };
    const reply = await this.#write({ method: 'POST', path: '', headers: json, body: formatResource(bundle) }, call);
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

  /** Retries after a serialization failure, because the server then executed nothing. */
  async #write(request: Omit<ServerRequest, 'write'>, call: ServerCall): Promise<ServerReply> {
    const reply = await retry(() => this.#transport.send({ ...request, write: true }, call), {
      afterResult: (refused) => refused.status === 409 && readOutcome(refused).isSerializationFailure,
      signal: call.signal,
    });
    if (reply.status >= 200 && reply.status <= 299) return reply;
    throw toResponseFailure(reply, request.method === 'POST' ? 'new' : 'known', readOutcome(reply));
  }
}

/** Parses the answer to a write. An unusable answer proves nothing, so it throws outcome_unknown. */
async function understand<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { cause, at } = error;
    const message = 'the FHIR server answered a write with an unusable response';
    throw new Failure('outcome_unknown', message, { cause, at });
  }
}

/** True if it is the id of another resource: some servers match ids, especially UUIDs, in any case. */
const isInOtherCase = (found: unknown, id: string): boolean =>
  found !== id && String(found).toLowerCase() === id.toLowerCase();

function parseCreatedId({ headers }: ServerReply, expected: ResourceType): string {
  const { type, id } = parseLocation(headers.location);
  if (type !== expected || id === undefined) throw badAnswer('no_location');
  return id;
}

const headers = { 'Content-Type': 'application/fhir+json; charset=utf-8', 'Cache-Control': 'no-cache' };

/** The first pages of several searches, by one request. Undefined if the server does not execute the whole batch. */
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
    // A failed entry has no searchset.
    if (error instanceof Failure && error.kind === 'bad_answer') return undefined;
    throw error;
  }
}

/** The settings for the connection to a server. */
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

/** The client of a server, with its connection parts. */
export interface ServerConnection {
  readonly client: FhirClient;
  /** For other hosts, without credentials and client certificate. */
  readonly elsewhere: Axios;
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly tls: HttpOptions['tls'];
}

/**
 * Creates the client of the server. Throws SettingsProblem when a secret or a file is missing, or a key cannot be used.
 */
export async function connect(access: ServerSettings, faults?: FaultSignal): Promise<ServerConnection> {
  const { timeout, connections, retries, retryBudget, limits } = access;
  const tls = readTls(access);
  const options = { timeout, connections, retries, retryBudget, maxBytes: limits.bytes, tls };
  const credentials = await createCredentials(access, access.baseUrl, options);
  const transport = new Transport(credentials, { ...options, base: access.baseUrl, bases: access.bases }, faults);
  const client = new FhirClient(transport, limits, createIsHidden(access));
  return { client, elsewhere: createByteClient(forOthers(options)), transport, credentials, tls };
}
