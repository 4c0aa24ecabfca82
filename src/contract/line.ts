import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, constants, unzipSync } from 'node:zlib';

/** A request that passed through a line. */
export interface PassedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  /** The number of its connection. */
  readonly connection: number;
  /** True if its response created a session: later requests carry a text of that response. */
  readonly isLogin: boolean;
}

export interface LineOptions extends Pick<Fail, 'recoveryMs'> {
  /** Default: a free port. */
  readonly port?: number;
  /** The maximum number of requests with which an adapter may answer one read. Default: unlimited. */
  readonly maxRequests?: number;
  /** True if the outage `lost` loses the response to such a request. Default: every method except GET and HEAD. */
  readonly isWrite?: (request: PassedRequest, body: Buffer) => boolean;
  /** True if the system leaves empty lists out of its JSON, so that `{}` may be an empty list. Default: false. */
  readonly omitsEmptyLists?: boolean;
}

/** A proxy between an adapter and its system over HTTP that can simulate failures. */
export interface Line extends Pick<LineOptions, 'maxRequests'> {
  /** The address for the adapter's settings, in place of the system's address. */
  readonly url: string;
  readonly fail: Fail;
  /** Returns the requests since the last call. */
  takeRequests(): readonly PassedRequest[];
  close(): Promise<void>;
}

/** The treatment of a request: `ask` fetches the system's response. */
type Outage = (ask: () => Promise<IncomingMessage>, response: ServerResponse, asked: Asked) => unknown;

interface Asked {
  readonly isWrite: boolean;
  /** True if it carries a session that the system dropped. */
  readonly isDropped: boolean;
}

const pass: Outage = async (ask, response) => {
  const answer = await ask();
  answer.pipe(response.writeHead(answer.statusCode ?? 502, listEndToEnd(answer.rawHeaders)));
};

/** The headers without those of one connection (RFC 9110, 7.6.1): the system may close its own, and the adapter keep its. */
const listEndToEnd = (headers: readonly string[]): string[] =>
  headers.filter((_, index) => !/^(?:connection|keep-alive)$/i.test(headers[index - (index % 2)] ?? ''));

const losses: Readonly<Record<Loss, (response: ServerResponse) => unknown>> = {
  cut: (response) => response.destroy(),
  error: (response) => response.writeHead(502).end(),
  wait: () => {},
};

const breakages: Readonly<Record<Breakage, Outage>> = {
  cut: (_ask, response) => response.destroy(),
  half: async (ask, response) => {
    const answer = await ask();
    const { 'transfer-encoding': _, ...headers } = answer.headers;
    const body = await buffer(answer);
    response.writeHead(200, { ...headers, 'content-length': body.length + 1 });
    response.write(body.length > 1 ? body.subarray(0, body.length / 2) : ' ', () => response.destroy());
  },
  page: (_ask, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page),
  object: answerInstead('{}'),
  list: answerInstead('[]'),
};

/** Answers this JSON instead of the system. An error, or a list in place of a list, passes. */
function answerInstead(json: string): Outage {
  return async (ask, response) => {
    const answer = await ask();
    const body = await buffer(answer);
    const { statusCode = 502, rawHeaders } = answer;
    const text = decode(body, answer.headers['content-encoding']).trimStart();
    const isList = json === '[]' && (text === '' || text.startsWith('['));
    if (statusCode >= 300 || isList) response.writeHead(statusCode, listEndToEnd(rawHeaders)).end(body);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(json);
  };
}

/** The page of a proxy in front of a system that does not work. */
const page = '<!DOCTYPE html><html><head><title>Maintenance</title></head><body>Come back later</body></html>';

/** Begins an outage. Returns a function that ends it. */
type BeginOutage = (next: Outage, end?: () => void) => () => Promise<void>;

const createOutages = (begin: BeginOutage, sessions: Sessions, { omitsEmptyLists }: LineOptions): Fail => ({
  errors: async ({ status = 500, after = 0, headers = {}, broken } = {}) => {
    let answered = 0;
    const isLegal = broken === 'object' && omitsEmptyLists;
    return begin((...given) => {
      if (isLegal || answered++ < after) return pass(...given);
      return broken ? breakages[broken](...given) : given[1].writeHead(status, headers).end();
    });
  },
  silence: async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return begin(async (...given) => {
      await promise;
      if (!given[1].destroyed) await pass(...given);
    }, resolve);
  },
  lost: async (loss = 'cut') =>
    begin(async (...given) => {
      const [ask, response, { isWrite }] = given;
      if (!isWrite) return pass(...given);
      await buffer(await ask());
      losses[loss](response);
    }),
  logout: async () => {
    sessions.drop();
    return begin((...given) => (given[2].isDropped ? given[1].writeHead(401).end() : pass(...given)));
  },
});

/** Headers that do not identify a client, although a response may contain their values too. */
const nameless = /^(?:accept.*|cache-control|connection|content-.*|host|if-.*|keep-alive|prefer|te|user-agent)$/i;

/**
 * The minimum length of a session, the maximum length of a login response, and the number of responses that are kept.
 */
const [MIN_SESSION, MAX_LENGTH, MAX_KEPT] = [6, 16_384, 64];

/** The values of a request's headers and cookies that may identify its client. */
const listNames = ({ headers }: Pick<PassedRequest, 'headers'>): readonly string[] =>
  headers
    .flatMap((value, index) => (index % 2 === 1 && !nameless.test(headers[index - 1] ?? '') ? value.split(/; */) : []))
    .map((value) => value.replace(/^(?:\w+ +|[^=\s]+=)/, ''))
    .filter(({ length }) => length >= MIN_SESSION);

/** A response as received so far. */
interface HeardAnswer {
  text: string;
  readonly passed: PassedRequest & { isLogin: boolean };
}

/** The text of the beginning of a body. Empty if it cannot be decompressed. */
function decode(body: Buffer, encoding = 'identity'): string {
  try {
    if (encoding === 'br') return String(brotliDecompressSync(body, { finishFlush: constants.BROTLI_OPERATION_FLUSH }));
    if (encoding !== 'identity') return String(unzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }));
    return String(body);
  } catch {
    return '';
  }
}

/**
 * Detects sessions. A response is a login if later requests identify their client by a text of it, and its own request
 * did not.
 */
class Sessions {
  readonly #known = new Set<string>();
  readonly #dropped = new Set<string>();
  readonly #heard: HeardAnswer[] = [];

  /** Drops the known sessions until a login returns them again. */
  drop(): void {
    for (const each of this.#known) this.#dropped.add(each);
  }

  /** True if the request carries a dropped session. */
  read(passed: PassedRequest): boolean {
    const names = listNames(passed);
    for (const name of names) {
      if (this.#known.has(name)) continue;
      for (const each of this.#heard) this.#compare(each, name);
    }
    return names.some((name) => this.#dropped.has(name));
  }

  /** Reads a response while it passes. */
  listenTo(answer: IncomingMessage, passed: HeardAnswer['passed']): IncomingMessage {
    if ((answer.statusCode ?? 0) >= 400) return answer;
    const headers = String(answer.rawHeaders);
    const heard: HeardAnswer = { text: headers, passed };
    let body = Buffer.alloc(0);
    this.#heard.push(heard);
    if (this.#heard.length > MAX_KEPT) this.#heard.shift();
    for (const session of this.#known) this.#compare(heard, session);
    answer.on('data', (chunk: Buffer) => {
      if (body.length >= MAX_LENGTH) return;
      body = Buffer.concat([body, chunk.subarray(0, MAX_LENGTH)]);
      heard.text = headers + decode(body, answer.headers['content-encoding']);
      for (const session of this.#known) this.#compare(heard, session);
    });
    return answer;
  }

  /** A dropped session that a new login returns is valid again. */
  #compare({ text, passed }: HeardAnswer, session: string): void {
    if (!text.includes(session) || listNames(passed).includes(session)) return;
    passed.isLogin = true;
    this.#known.add(session);
    this.#dropped.delete(session);
  }
}

/** Opens a line to the system at this address. */
export async function openLine(system: string, options: LineOptions = {}): Promise<Line> {
  const { port = 0, isWrite = ({ method }) => !/^(GET|HEAD)$/.test(method) } = options;
  const behind = new URL(system);
  const sessions = new Sessions();
  const connections = new WeakMap<object, number>();
  let opened = 0;
  let outage = pass;
  let requests: PassedRequest[] = [];

  const ask = async ({ method, url = '', headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> => {
    const send = behind.protocol === 'https:' ? requestHttps : requestHttp;
    const asked = send(new URL(url, behind), { method, headers: { ...headers, host: behind.host } });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return answer;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const passed = {
      ...{ method: request.method ?? '', path: request.url ?? '', headers: request.rawHeaders },
      ...{ connection: connections.get(request.socket) ?? 0, isLogin: false },
    };
    requests.push(passed);
    const isDropped = sessions.read(passed);
    try {
      const body = await buffer(request);
      const listenTo = async () => sessions.listenTo(await ask(request, body), passed);
      await outage(listenTo, response, { isWrite: isWrite(passed, body), isDropped });
    } catch {
      response.destroy();
    }
  };
  const server = createServer({ maxHeaderSize: 1 << 18 }, (request, response) => void serve(request, response));
  server.on('connection', (socket) => connections.set(socket, ++opened));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  const begin: BeginOutage = (next, end = () => {}) => {
    outage = next;
    return async () => {
      outage = pass;
      end();
    };
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${behind.pathname.replace(/\/$/, '')}`,
    ...(options.maxRequests !== undefined && { maxRequests: options.maxRequests }),
    fail: { recoveryMs: options.recoveryMs, ...createOutages(begin, sessions, options) },
    takeRequests: () => {
      const taken = requests;
      requests = [];
      return taken;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * How the system behind an adapter fails. `errors`: it answers every request with an error. `silence`: it answers none.
 * `lost`: it executes writes, but the responses are lost. `logout`: it drops its sessions.
 */
export type OutageKind = 'errors' | 'silence' | 'lost' | 'logout';

/** How the response to a write is lost: the connection ends, a proxy answers 502, or no response comes. */
export type Loss = 'cut' | 'error' | 'wait';

/** Options of an outage of errors. An adapter's author may ignore them, but then the outage proves less. */
export interface Errors {
  /** The status of the errors. Default: 500. */
  readonly status?: number;
  /** The number of requests that are answered before the outage. Default: 0. */
  readonly after?: number;
  /** The headers of the errors. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How the response is broken instead of an error with a status. Default: it is not. */
  readonly broken?: Breakage;
}

/**
 * The connection ends before or within the response, or the page of a proxy has status 200. `object` and `list` are
 * JSON without content (`{}`, `[]`) instead of a response of another form.
 */
export type Breakage = 'cut' | 'half' | 'page' | 'object' | 'list';

/**
 * Begins an outage of each kind that the adapter's author can simulate. Each function returns another one that ends the
 * outage.
 */
export interface Fail {
  readonly errors?: (errors?: Errors) => Promise<() => Promise<void>>;
  readonly silence?: () => Promise<() => Promise<void>>;
  readonly lost?: (loss?: Loss) => Promise<() => Promise<void>>;
  /** The system drops its sessions, and rejects each until a login returns a new one. */
  readonly logout?: () => Promise<() => Promise<void>>;
  /** The milliseconds within which an adapter must notice that its system works again. Default: 3,000. */
  readonly recoveryMs?: number | undefined;
}
