import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, parseSearchRequest, tooManyRequests, type WithId } from '@medplum/core';
import type { ExtractResource, Resource, ResourceType } from '@medplum/fhirtypes';
import { type IdsByName, loadUnderNewIds, type NamedResources } from '../hospital-in-fhir/load.ts';
import { FileStorage } from './file-storage.ts';
import { Interactions } from './interactions.ts';
import { OAuthServer } from './oauth-server.ts';
import { hapi, type Quirks } from './quirks.ts';
import { AccessLog, type LoggedRequest } from './request-log.ts';
import { type Answer, toOutcomeAnswer } from './response.ts';
import { Store } from './store.ts';
import type { Snapshot } from './version-store.ts';

/** A FHIR R4 server on a port of its own; every `reset` brings back the resources of its start. */
export interface FhirServer {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  readonly tokenUrl: string;
  /** The ids of the resources of the start, by their names. */
  readonly ids: IdsByName;
  readonly quirks: Quirks;
  readonly requests: AccessLog;
  /** What was asked of the host that presigned links point to. */
  readonly fileRequests: AccessLog;
  /** That host, e.g. `http://localhost:34567`. */
  readonly fileOrigin: string;
  readonly tokens: Pick<OAuthServer, 'issued' | 'expireAll'>;
  /** Forgets the state of searches, as real servers do after an hour: their further pages are gone. */
  forgetSearches(): void;
  read<K extends ResourceType>(type: K, id: string): Promise<WithId<ExtractResource<K>>>;
  /** All matches, e.g. of `search('Slot', 'status=busy')`. */
  search<K extends ResourceType>(type: K, query?: string): Promise<WithId<ExtractResource<K>>[]>;
  /** Puts the resource in as it is, be it FHIR or not: what older software has left. */
  load(resource: {
    readonly resourceType: ResourceType;
    readonly id: string;
    readonly [element: string]: unknown;
  }): void;
  create<T extends Resource>(resource: T): Promise<WithId<T>>;
  update<T extends WithId<Resource>>(resource: T): Promise<T>;
  delete(type: ResourceType, id: string): Promise<void>;
  /** Makes what is there now the resources of the start. */
  keep(): void;
  /** Brings back the resources and the quirks of the start with these changes; empties the logs. */
  reset(changes?: Partial<Quirks>): void;
  stop(): Promise<void>;
}

/** In how many seconds a quota is whole again. */
const QUOTA_SECONDS = 17;

/** How many milliseconds late an answer is that is `late`. */
export const LATE_MS = 3_000;

/** @param start.resources are loaded as they are, without the checks of a server. */
export async function startFhirServer(
  start: { quirks?: Partial<Quirks>; resources?: NamedResources } = {},
): Promise<FhirServer> {
  const initial: Quirks = { ...hapi, ...start.quirks };
  const quirks: Quirks = { ...initial };
  const requests = new AccessLog();
  const http = createServer((request, response) => void serve(request, response).catch(() => request.socket.destroy()));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const url = `${origin}/fhir`;
  const tokenUrl = `${origin}/oauth2/token`;
  const store = new Store(url, quirks);
  const storage = await FileStorage.start(store);
  const oauth = new OAuthServer(tokenUrl, () => quirks.auth);
  const interactions = new Interactions(url, store, quirks, storage);
  const loaded = new Map<Quirks['ids'], { ids: IdsByName; snapshot: Snapshot }>();
  let ids = fill();

  return {
    url,
    tokenUrl,
    quirks,
    requests,
    fileRequests: storage.requests,
    fileOrigin: storage.origin,
    tokens: oauth,
    get ids() {
      return ids;
    },
    forgetSearches: () => store.forgetSearches(),
    read: (type, id) => store.readCurrent(type, id),
    search: async (type, query = '') => {
      const request = parseSearchRequest<ExtractResource<typeof type>>(`${type}?${query}`);
      return store.searchResources({ ...request, count: 1000 });
    },
    load: (resource) => store.load(JSON.parse(JSON.stringify(resource))),
    create: (resource) => store.createResource(resource),
    update: (resource) => store.updateResource(resource),
    delete: (type, id) => store.deleteResource(type, id),
    keep: () => {
      loaded.set(quirks.ids, { ids, snapshot: store.snapshot() });
    },
    reset: (changes = {}) => {
      Object.assign(quirks, initial, changes);
      requests.reset();
      storage.requests.reset();
      oauth.reset();
      interactions.clearCache();
      ids = fill();
    },
    stop: async () => {
      await storage.stop();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };

  function fill(): IdsByName {
    const known = loaded.get(quirks.ids);
    if (known) {
      store.restore(known.snapshot);
      return known.ids;
    }
    store.restore(new Map());
    const fresh = loadUnderNewIds(store, start.resources ?? []);
    loaded.set(quirks.ids, { ids: fresh, snapshot: store.snapshot() });
    return fresh;
  }

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const content = Buffer.concat(await Array.fromAsync(message));
    const request = toLoggedRequest(message, content);
    requests.add(request);
    if (quirks.delay !== 0) await (typeof quirks.delay === 'number' ? sleep(quirks.delay) : quirks.delay);
    if (quirks.loseRequest(request)) return void message.socket.destroy();
    const fault = quirks.fault(request);
    if (fault?.answer === 'late' && !fault.commits) await (fault.until ?? sleep(LATE_MS));
    const isExecuted = !fault || fault.commits || fault.answer === 'late';
    const before = fault?.crashes && store.snapshot();
    const answer = isExecuted ? await answerTo(request, content) : { status: 200, headers: {}, body: '' };
    if (before) store.showCached(before);
    if (fault?.answer === 'late' && fault.commits) await (fault.until ?? sleep(LATE_MS));
    if (fault?.answer === 'hang') return;
    if (fault?.answer === 'reset' || quirks.loseAnswer(request)) return void message.socket.destroy();
    const { status, headers, body } = typeof fault?.answer === 'function' ? fault.answer(answer) : answer;
    response.writeHead(status, headers).end(body);
  }

  async function answerTo(request: LoggedRequest, content: Buffer): Promise<Answer> {
    if (request.target === '/oauth2/token') return oauth.issueToken(request);
    if (quirks.quota === Number.POSITIVE_INFINITY) return answerFreely(request, content);
    const left = Math.max(0, --quirks.quota);
    const headers = { ratelimit: `"requests";r=${left};t=${QUOTA_SECONDS}, "load";r=50000;t=60` };
    if (quirks.quota < 0) return toOutcomeAnswer(tooManyRequests, headers);
    const answer = await answerFreely(request, content);
    return { ...answer, headers: { ...answer.headers, ...headers } };
  }

  async function answerFreely(request: LoggedRequest, content: Buffer): Promise<Answer> {
    if (request.path !== 'metadata' && quirks.databaseAway) {
      return toOutcomeAnswer(badRequest('connect ECONNREFUSED 127.0.0.1:5432'));
    }
    if (request.path !== 'metadata' && !oauth.isAuthorized(request)) {
      const login = { severity: 'error', code: 'login', details: { text: 'Unauthorized' } } as const;
      const challenge = { 'www-authenticate': 'Bearer realm="fhir"' };
      return toOutcomeAnswer({ resourceType: 'OperationOutcome', id: 'unauthorized', issue: [login] }, challenge);
    }
    return interactions.perform(request, content);
  }
}

function toLoggedRequest({ method = '', url = '', headers }: IncomingMessage, content: Buffer): LoggedRequest {
  const [path = '', query] = url.split('?', 2);
  const behindBase = path.replace(/^\/fhir\/?/, '');
  return {
    method,
    target: url,
    path: behindBase,
    query: new URLSearchParams(query),
    headers,
    body: content.toString(),
  };
}
