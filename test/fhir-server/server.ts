import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseSearchRequest, type WithId } from '@medplum/core';
import type { ExtractResource, Resource, ResourceType } from '@medplum/fhirtypes';
import { type Cast, load, type World } from '../hospital-in-fhir/load.ts';
import { FileStorage } from './file-storage.ts';
import { Interactions } from './interactions.ts';
import { Gatekeeper } from './oauth-server.ts';
import { hapi, type Quirks } from './quirks.ts';
import { AccessLog, type LoggedRequest } from './request-log.ts';
import { type Answer, outcomeAnswer } from './response.ts';
import { Store } from './store.ts';
import type { Snapshot } from './version-store.ts';

/** A FHIR R4 server on a port of its own, with a world in it that every `reset` brings back. */
export interface FhirServer {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  readonly tokenUrl: string;
  /** The ids of the resources of the world under the names that the world gives them. */
  readonly cast: Cast;
  readonly quirks: Quirks;
  readonly requests: AccessLog;
  /** What was asked of the host that presigned links point to. */
  readonly fileRequests: AccessLog;
  /** That host, e.g. `http://localhost:34567`. */
  readonly fileOrigin: string;
  readonly tokens: Pick<Gatekeeper, 'issued' | 'expireAll'>;
  /** Forgets the state of searches, as real servers do after an hour: their further pages are gone. */
  forgetSearches(): void;
  read<K extends ResourceType>(type: K, id: string): Promise<WithId<ExtractResource<K>>>;
  /** All matches, e.g. of `search('Slot', 'status=busy')`. */
  search<K extends ResourceType>(type: K, query?: string): Promise<WithId<ExtractResource<K>>[]>;
  create<T extends Resource>(resource: T): Promise<WithId<T>>;
  update<T extends WithId<Resource>>(resource: T): Promise<T>;
  delete(type: ResourceType, id: string): Promise<void>;
  /** Brings back the world and the quirks of the start with these changes; empties the logs. */
  reset(changes?: Partial<Quirks>): void;
  stop(): Promise<void>;
}

/** @param start.world is loaded as it is, without the checks of a server. */
export async function startFhirServer(start: { quirks?: Partial<Quirks>; world?: World } = {}): Promise<FhirServer> {
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
  const gatekeeper = new Gatekeeper(tokenUrl, () => quirks.auth);
  const interactions = new Interactions(url, store, quirks, storage);
  const loaded = new Map<Quirks['ids'], { cast: Cast; snapshot: Snapshot }>();
  let cast = fill();

  return {
    url,
    tokenUrl,
    quirks,
    requests,
    fileRequests: storage.requests,
    fileOrigin: storage.origin,
    tokens: gatekeeper,
    get cast() {
      return cast;
    },
    forgetSearches: () => store.forgetSearches(),
    read: (type, id) => store.readResource(type, id),
    search: async (type, query = '') => {
      const request = parseSearchRequest<ExtractResource<typeof type>>(`${type}?${query}`);
      return store.searchResources({ ...request, count: 1000 });
    },
    create: (resource) => store.createResource(resource),
    update: (resource) => store.updateResource(resource),
    delete: (type, id) => store.deleteResource(type, id),
    reset: (changes = {}) => {
      Object.assign(quirks, initial, changes);
      requests.reset();
      storage.requests.reset();
      gatekeeper.reset();
      interactions.forgetAnswers();
      cast = fill();
    },
    stop: async () => {
      await storage.stop();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };

  function fill(): Cast {
    const known = loaded.get(quirks.ids);
    if (known) {
      store.restore(known.snapshot);
      return known.cast;
    }
    store.restore(new Map());
    const fresh = load(store, start.world ?? []);
    loaded.set(quirks.ids, { cast: fresh, snapshot: store.snapshot() });
    return fresh;
  }

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const content = Buffer.concat(await Array.fromAsync(message));
    const request = logged(message, content);
    requests.add(request);
    if (quirks.delay > 0) await sleep(quirks.delay);
    if (quirks.loseRequest(request)) return void message.socket.destroy();
    const answer = await answerTo(request, content);
    if (quirks.loseAnswer(request)) message.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  async function answerTo(request: LoggedRequest, content: Buffer): Promise<Answer> {
    if (request.target === '/oauth2/token') return gatekeeper.token(request);
    if (request.path !== 'metadata' && !gatekeeper.admits(request)) {
      const login = { severity: 'error', code: 'login', details: { text: 'Unauthorized' } } as const;
      const challenge = { 'www-authenticate': 'Bearer realm="fhir"' };
      return outcomeAnswer({ resourceType: 'OperationOutcome', id: 'unauthorized', issue: [login] }, challenge);
    }
    return interactions.perform(request, content);
  }
}

function logged({ method = '', url = '', headers }: IncomingMessage, content: Buffer): LoggedRequest {
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
