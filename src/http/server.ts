import { randomUUID } from 'node:crypto';
import {
  createServer as createHttpServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ProblemCode, problems, Rejection, toProblemBody } from '../api/index.ts';
import type { Impairment, Log } from '../ports/index.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { apiHeaders, type Reply, sendReply, toReply } from './send.ts';

type HttpLimits = 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout' | 'maxHeaderSize';
/** With the prefix of every path, `` or `/something`. */
type ServerSettings = ConnectionLimits & Required<Pick<ServerOptions, HttpLimits>> & { readonly basePath: string };

/** An HTTP server that enforces the limits, and responds with a problem to requests that never reach the app. */
export function createServer(app: RequestListener, options: ServerSettings, log: Log): Server {
  const { basePath, headersTimeout, requestTimeout, keepAliveTimeout, maxHeaderSize } = options;
  const server = createHttpServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      maxHeaderSize,
      connectionsCheckingInterval: 1_000,
      // Node would answer without a problem, and nobody would log it; the app refuses such a request.
      requireHostHeader: false,
    },
    (req, res) => {
      // When all requests are read that came at once, none is begun where there are too many of them.
      if (connections.begin(req, res)) process.nextTick(() => req.socket.destroyed || app(req, res));
    },
  );
  const connections = new Connections(server, options);
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1); Node's own 417 has no problem and no log line.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  // The application lets it send when it may. Who is refused before sends its next request on another connection.
  server.on('checkContinue', (req, res) => {
    res.setHeader('Connection', 'close');
    server.emit('request', req, res);
  });
  server.on('connect', (_req, socket) => {
    socket.on('error', () => socket.destroy());
    reject(socket, noProxy, basePath, log);
  });

  const responses = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (req, res) => responses.set(req.socket, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = responses.get(socket);
    const responding = response?.headersSent && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || responding) socket.destroy();
    else reject(socket, new Rejection(codeByError[error.code ?? ''] ?? 'malformed_request'), basePath, log);
  });
  return server;
}

const codeByError: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

const noProxy = new Rejection('method_not_allowed', {
  happened: 'CONNECT asks for a proxy, and this is none.',
  headers: { Allow: 'GET, HEAD, POST, PUT, DELETE' },
});

/** Responds to a request that the application cannot have and closes the connection, because the start of the next request is unknown. */
function reject(socket: Duplex, rejection: Rejection, basePath: string, log: Log): void {
  const requestId = randomUUID();
  const body = toProblemBody(rejection, requestId, basePath);
  const text = JSON.stringify(body);
  const headers = {
    Connection: 'close',
    ...apiHeaders,
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': requestId,
    ...rejection.details.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}\r\n${lines.join('')}\r\n${text}`);
  log.write('info', 'request', { requestId, status: body.status, code: body.code });
}

/** Where a server listens. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** How many connections may wait to come in, as far as the system lets them; further ones try again after a second. */
  readonly backlog?: number;
}

/**
 * Starts to listen and resolves to the port; rejects with the system's error, e.g. `EADDRINUSE`.
 * @param at where, or a server whose port this one takes over, with the connections that come in from now on.
 */
export function listen(server: Server, at: ListenOptions | Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

const TIMEOUT = 5_000;
/** Seconds. */
const RETRY_AFTER = '5';

/**
 * A server for the time before the gateway: `/livez` is 200, `/readyz` 503 with what is waited for, and everything else 503
 * `starting`. Every response closes its connection, so that the next request reaches the gateway.
 * @param isForOperators whether who asks is told the detail of what is waited for, which may name addresses.
 */
export function createStartingServer(
  basePath: string,
  awaited: () => readonly Impairment[],
  log: Log,
  isForOperators = false,
): Server {
  return createHttpServer({ headersTimeout: TIMEOUT, requestTimeout: TIMEOUT }, (req, res) => {
    const requestId = randomUUID();
    const probe = req.method === 'GET' || req.method === 'HEAD' ? answerProbe(req.url) : undefined;
    if (probe) log.write('debug', 'request', { requestId, status: probe.status });
    res.setHeader('Connection', 'close');
    sendReply(res, requestId, probe ?? refuse(requestId));
    req.resume();
  });

  function answerProbe(path: string | undefined): Reply | undefined {
    if (path === `${basePath}/livez`) return toReply(200, { status: 'ok' });
    if (path === `${basePath}/readyz`) {
      const impairments = awaited().map(({ code, detail }) => ({ code, ...(isForOperators && { detail }) }));
      return toReply(503, { status: 'starting', impairments });
    }
  }

  function refuse(requestId: string): Reply {
    const rejection = new Rejection('starting');
    const { status } = problems.starting;
    log.write('error', 'request', { requestId, status, code: rejection.code });
    return toReply(status, toProblemBody(rejection, requestId, basePath), {
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Retry-After': RETRY_AFTER,
    });
  }
}
