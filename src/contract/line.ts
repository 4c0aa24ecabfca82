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
}

export interface LineOptions extends Pick<Fail, 'recoveryMs'> {
  /** Default: one that is free. */
  readonly port?: number;
  /** How many requests an adapter may send to answer one read. Default: any number. */
  readonly maxRequests?: number;
  /** Whether the answer to such a request is lost in an outage `lost`. Default: to any method but GET and HEAD. */
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
type Outage = (ask: () => Promise<IncomingMessage>, response: ServerResponse, isWrite: boolean) => unknown;

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

const createOutages = (begin: BeginOutage): Fail => ({
  errors: async ({ status = 500, after = 0 } = {}) => {
    let answered = 0;
    return begin((...given) => (answered++ < after ? pass(...given) : given[1].writeHead(status).end()));
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
      const [asked, response, isLost] = given;
      if (!isLost) return pass(...given);
      await buffer(await asked());
      losses[loss](response);
    }),
});

/** Opens a line to the system at that address. */
export async function openLine(system: string, options: LineOptions = {}): Promise<Line> {
  const { port = 0, isWrite = ({ method }) => !/^(GET|HEAD)$/.test(method) } = options;
  const behind = new URL(system);
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
    const passed = { method: request.method ?? '', path: request.url ?? '', headers: request.rawHeaders };
    requests.push(passed);
    try {
      const body = await buffer(request);
      await outage(() => ask(request, body), response, isWrite(passed, body));
    } catch {
      response.destroy();
    }
  };
  const server = createServer({ maxHeaderSize: 1 << 18 }, (request, response) => void serve(request, response));
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
    fail: { recoveryMs: options.recoveryMs, ...createOutages(begin) },
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
 * answer to a write is lost.
 */
export type OutageKind = 'errors' | 'silence' | 'lost';

/** How the answer to a write is lost: the connection ends, or a proxy answers 502, or nothing comes. */
export type Loss = 'cut' | 'error' | 'wait';

/** What the author of an adapter does about these is optional: an outage that heeds none of it shows less. */
export interface Errors {
  /** With which status. Default: 500. */
  readonly status?: number;
  /** How many requests are answered before. Default: 0. */
  readonly after?: number;
}

/** Begins an outage of each kind that the author of an adapter can bring about. What is returned ends it. */
export interface Fail {
  readonly errors?: (errors?: Errors) => Promise<() => Promise<void>>;
  readonly silence?: () => Promise<() => Promise<void>>;
  readonly lost?: (loss?: Loss) => Promise<() => Promise<void>>;
  /** How many milliseconds an adapter may take to notice that its system works again. Default: 3,000. */
  readonly recoveryMs?: number | undefined;
}
