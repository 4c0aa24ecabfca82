import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request that passed a line. */
export interface PassedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names and values, in turn. */
  readonly headers: readonly string[];
  /** The number of the connection on which it came. */
  readonly connection: number;
  /** True if its answer gave a session: later requests carry a text of that answer. */
  readonly isLogin: boolean;
}

export interface LineOptions extends Pick<Fail, 'recoveryMs'> {
  /** Default: one that is free. */
  readonly port?: number;
  /** How many requests an adapter may send to answer one read. Default: any number. */
  readonly maxRequests?: number;
  /** True if the answer to such a request is lost in an outage `lost`. Default: to any method but GET and HEAD. */
  readonly isWrite?: (request: PassedRequest, body: Buffer) => boolean;
}

/** Stands between an adapter and its system over HTTP, and lets that fail. */
export interface Line extends Pick<LineOptions, 'maxRequests'> {
  /** To be given to the adapter in place of the system's address. */
  readonly url: string;
  readonly fail: Fail;
  /** The requests that passed since this was last called. */
  takeRequests(): readonly PassedRequest[];
  close(): Promise<void>;
}

/** Something that happens to a request: `ask` gets the answer of the system. */
type Outage = (ask: () => Promise<IncomingMessage>, response: ServerResponse, asked: Asked) => unknown;

interface Asked {
  readonly isWrite: boolean;
  /** True if it carries a session that the system has dropped. */
  readonly isDropped: boolean;
}

const pass: Outage = async (ask, response) => {
  const answer = await ask();
  answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.rawHeaders));
};

const losses: Readonly<Record<Loss, (response: ServerResponse) => unknown>> = {
  cut: (response) => response.destroy(),
  error: (response) => response.writeHead(502).end(),
  wait: () => {},
};

/** Begins an outage; what it returns ends the outage. */
type BeginOutage = (next: Outage, end?: () => void) => () => Promise<void>;

const createOutages = (begin: BeginOutage, sessions: Sessions): Fail => ({
  errors: async ({ status = 500, after = 0, headers = {} } = {}) => {
    let answered = 0;
    return begin((...given) => (answered++ < after ? pass(...given) : given[1].writeHead(status, headers).end()));
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

/** Headers that name no client, though an answer may have their values too. */
const nameless = /^(?:accept.*|cache-control|connection|content-.*|host|if-.*|keep-alive|prefer|te|user-agent)$/i;

/** A shorter text is no session; a longer answer gives none; and of so many answers the texts are kept. */
const [MIN_SESSION, MAX_LENGTH, MAX_KEPT] = [6, 16_384, 64];

/** By what a request names its client, as far as can be seen: the values of its headers, and of its cookies. */
const listNames = ({ headers }: Pick<PassedRequest, 'headers'>): readonly string[] =>
  headers
    .flatMap((value, index) => (index % 2 === 1 && !nameless.test(headers[index - 1] ?? '') ? value.split(/; */) : []))
    .map((value) => value.replace(/^(?:\w+ +|[^=\s]+=)/, ''))
    .filter(({ length }) => length >= MIN_SESSION);

/** An answer as far as it came. */
interface HeardAnswer {
  text: string;
  readonly passed: PassedRequest & { isLogin: boolean };
}

/** Knows sessions by what logins are: an answer holds a text by which later requests name their client, and its own did not. */
class Sessions {
  readonly #known = new Set<string>();
  readonly #dropped = new Set<string>();
  readonly #heard: HeardAnswer[] = [];

  /** Forgets the known sessions, until a login gives one again. */
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

  /** Hears an answer on its way. */
  listenTo(answer: IncomingMessage, passed: HeardAnswer['passed']): IncomingMessage {
    if ((answer.statusCode ?? 0) >= 400) return answer;
    const heard: HeardAnswer = { text: String(answer.rawHeaders), passed };
    this.#heard.push(heard);
    if (this.#heard.length > MAX_KEPT) this.#heard.shift();
    for (const session of this.#known) this.#compare(heard, session);
    answer.on('data', (chunk: Buffer) => {
      if (heard.text.length >= MAX_LENGTH) return;
      heard.text += chunk.toString('utf8', 0, MAX_LENGTH);
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

/** Opens a line to the system at that address. */
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
    fail: { recoveryMs: options.recoveryMs, ...createOutages(begin, sessions) },
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
 * How the system behind an adapter fails: it answers errors to all that it is asked, or nothing, or does what it is asked and the
 * answer to a write is lost, or it drops its sessions.
 */
export type OutageKind = 'errors' | 'silence' | 'lost' | 'logout';

/** How the answer to a write is lost: the connection ends, or a proxy answers 502, or nothing comes. */
export type Loss = 'cut' | 'error' | 'wait';

/** What the author of an adapter does about these is optional: an outage that heeds none of it shows less. */
export interface Errors {
  /** With which status. Default: 500. */
  readonly status?: number;
  /** How many requests are answered before. Default: 0. */
  readonly after?: number;
  /** With which headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Begins an outage of each kind that the author of an adapter can bring about. What is returned ends it. */
export interface Fail {
  readonly errors?: (errors?: Errors) => Promise<() => Promise<void>>;
  readonly silence?: () => Promise<() => Promise<void>>;
  readonly lost?: (loss?: Loss) => Promise<() => Promise<void>>;
  /** The system drops its sessions, and rejects each until a login gives a new one. */
  readonly logout?: () => Promise<() => Promise<void>>;
  /** How many milliseconds an adapter may take to notice that its system works again. Default: 3,000. */
  readonly recoveryMs?: number | undefined;
}
