import { randomUUID } from 'node:crypto';
import {
  createServer as createHttpServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  STATUS_CODES,
} from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { type ProblemCode, problems, Rejection, toProblemBody } from '../api/index.ts';
import type { Impairment, Log } from '../ports/index.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { findPath } from './gateway-endpoints.ts';
import { apiHeaders, type Reply, sendReply, toReply } from './send.ts';

type HttpLimits = 'headersTimeout' | 'keepAliveTimeout' | 'maxHeaderSize';
/** With the prefix of every path, `` or `/something`. */
type ListenSettings = ConnectionLimits & Required<Pick<ServerOptions, HttpLimits>> & { readonly basePath: string };

/** An HTTP server that enforces the limits, and responds with a problem to requests that never reach the app. */
export function createServer(app: RequestListener, options: ListenSettings, log: Log): Server {
  const { basePath, headersTimeout, keepAliveTimeout, maxHeaderSize } = options;
  const server = createHttpServer(
    {
      headersTimeout,
      // A body may take any time while bytes arrive (`body.ts`).
      requestTimeout: 0,
      keepAliveTimeout,
      maxHeaderSize,
      connectionsCheckingInterval: 1_000,
      // Node would respond without a problem body and without a log line. The app refuses such a request.
      requireHostHeader: false,
    },
    (req, res) => connections.begin(req, res, app),
  );
  const connections = new Connections(server, options);
  // An unknown expectation may be ignored (RFC 9110, 10.1.1). Node's own 417 has no problem body and no log line.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  // The application sends 100 Continue when it is ready for the body.
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  // The application answers every request with a complete head. Here, only a head is answered.
  const answerHead = (socket: Socket, rejection: Rejection): void => {
    if (socket.writable && !connections.endBehindResponses(socket)) reject(socket, rejection, basePath, log);
  };
  server.on('connect', ({ socket }) => {
    socket.on('error', () => socket.destroy());
    answerHead(socket, noProxy);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!(socket instanceof Socket) || error.code === 'ECONNRESET' || socket.bytesRead === 0) socket.destroy();
    else answerHead(socket, new Rejection(codeByError[error.code ?? ''] ?? 'malformed_request'));
  });
  return server;
}

const codeByError: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

const noProxy = new Rejection('method_not_allowed', {
  happened: 'CONNECT requires a proxy, which this server is not.',
  headers: { Allow: 'GET, HEAD, POST, PUT, DELETE' },
});

/**
 * Responds to a request that cannot reach the application, and closes the connection, because the start of the next
 * request is unknown.
 */
function reject(socket: Socket, rejection: Rejection, basePath: string, log: Log): void {
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
  socket.write(`HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}\r\n${lines.join('')}\r\n${text}`);
  socket.destroySoon();
  log.write('info', 'request', { requestId, status: body.status, code: body.code });
}

/** Where a server listens. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The maximum number of queued connections, within the system's limit. Further ones retry after a second. */
  readonly backlog?: number;
}

/**
 * Starts to listen and resolves to the port. Rejects with the system's error, e.g. `EADDRINUSE`.
 * @param at the address, or a server whose port this one takes over with all new connections.
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
 * A server for the time before the gateway's start: `/livez` is 200, `/readyz` 503 with the awaited resource, and
 * everything else 503 `starting`. Every response closes its connection, so that the next request reaches the gateway.
 * @param isForOperators true to include the detail of the awaited resource, which may contain addresses.
 */
export function createStartingServer(
  basePath: string,
  awaited: () => readonly Impairment[],
  log: Log,
  isForOperators = false,
): Server {
  return createHttpServer({ headersTimeout: TIMEOUT, requestTimeout: TIMEOUT }, (req, res) => {
    const requestId = randomUUID();
    const probe = req.method === 'GET' || req.method === 'HEAD' ? answerProbe(findPath(req)) : undefined;
    if (probe) log.write('debug', 'request', { requestId, status: probe.status });
    res.setHeader('Connection', 'close');
    sendReply(res, requestId, probe ?? refuse(requestId));
    req.resume();
  });

  function answerProbe(path: string): Reply | undefined {
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
