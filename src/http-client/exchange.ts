import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { AxiosError, CanceledError, type GenericAbortSignal } from 'axios';
import { TOO_LARGE } from './failures.ts';

/** A request whose body is complete. */
export interface CompleteRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | undefined;
  /** Milliseconds from the first byte of the request to the last one of the answer. */
  readonly timeout: number;
  /** The maximum bytes of the answer before decompression. */
  readonly maxBytes: number;
  readonly signal: GenericAbortSignal | undefined;
}

/** An answer with its complete body, still compressed. */
export interface CompleteAnswer {
  readonly message: IncomingMessage;
  readonly body: Buffer;
}

/**
 * Sends a request by `node:http` and returns the complete answer with any status.
 * @throws AxiosError with the code of the network; `sent` is true if the request may have reached the server.
 */
export const exchange = (request: CompleteRequest, agents: Agents): Promise<CompleteAnswer> =>
  new HttpExchange(request, agents).answer;

type Agents = ReturnType<typeof createAgents>;

/** One request until its end: by the answer, a fault, the time limit or the caller, whichever comes first. */
class HttpExchange {
  readonly answer: Promise<CompleteAnswer>;
  readonly #request: CompleteRequest;
  readonly #agents: Agents;
  readonly #settle: PromiseWithResolvers<CompleteAnswer>;
  readonly #timer: NodeJS.Timeout;
  readonly #cancel = () => this.#fail(AxiosError.ERR_CANCELED);
  #current: ClientRequest | undefined;
  #sent = false;
  #isAnswered = false;
  #hasEnded = false;

  constructor(request: CompleteRequest, agents: Agents) {
    this.#request = request;
    this.#agents = agents;
    this.#settle = Promise.withResolvers<CompleteAnswer>();
    this.answer = this.#settle.promise;
    const { timeout, signal } = request;
    this.#timer = setTimeout(() => this.#fail('ETIMEDOUT'), timeout);
    signal?.addEventListener?.('abort', this.#cancel);
    if (signal?.aborted) this.#cancel();
    else this.#connect();
  }

  #connect(): void {
    const { url, method, headers } = this.#request;
    const started =
      url.protocol === 'https:'
        ? httpsRequest(url, { method, headers, agent: this.#agents['https:'] })
        : httpRequest(url, { method, headers, agent: this.#agents['http:'] });
    this.#current = started;
    started.once('socket', (socket) => this.#send(started, socket));
    started.once('response', (message) => this.#receive(message));
    started.on('error', (error) => this.#handleError(error));
  }

  /**
   * If the server has closed a reused connection, the close event comes within two turns of the event loop. Nothing was
   * written on it then.
   */
  #send(started: ClientRequest, socket: Socket): void {
    if (started.reusedSocket) {
      setImmediate(() => setImmediate(() => this.#write(started)));
    } else if (socket.connecting) {
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        this.#sent = true;
      });
      started.end(this.#request.body);
    } else {
      this.#write(started);
    }
  }

  #write(started: ClientRequest): void {
    if (this.#hasEnded || started !== this.#current || started.destroyed) return;
    this.#sent = true;
    started.end(this.#request.body);
  }

  #receive(message: IncomingMessage): void {
    this.#sent = true;
    this.#isAnswered = true;
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > this.#request.maxBytes) this.#fail(TOO_LARGE);
      else chunks.push(chunk);
    });
    message.once('end', () => {
      if (this.#end()) this.#settle.resolve({ message, body: Buffer.concat(chunks) });
    });
    message.on('error', (error) => this.#handleError(error));
  }

  #handleError(error: Error): void {
    if (this.#hasEnded) return;
    const code = toCode(error);
    if (this.#current?.reusedSocket && !this.#sent) this.#connect();
    else this.#fail(this.#isAnswered && code === 'ECONNRESET' ? AxiosError.ERR_BAD_RESPONSE : code);
  }

  #fail(code: string): void {
    if (!this.#end()) return;
    this.#settle.reject(createExchangeError(code, this.#sent));
    this.#current?.destroy();
  }

  /** Returns true if the exchange had not ended before. */
  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener?.('abort', this.#cancel);
    return true;
  }
}

/** The code of a TLS error depends on whether a read or a write fails first. The reason is the same. */
function toCode(error: Error): string {
  const reason = /:SSL routines:[^:]*:([^:]+)/.exec(error.message)?.[1];
  if (reason !== undefined) return `ERR_SSL_${reason.toUpperCase().replaceAll(/\W/g, '_')}`;
  return 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN';
}

/** Creates an error without the request, which has the token and may have patient data. */
export function createExchangeError(code: string, sent: boolean): AxiosError {
  // Given a bare error, axios would replace it after an abort of the signal.
  const error =
    code === AxiosError.ERR_CANCELED ? new CanceledError() : new AxiosError('no complete answer arrived', code);
  return Object.assign(error, { sent });
}

/** Milliseconds for which an idle connection is kept: fewer than servers keep it. A server may announce still fewer. */
const IDLE_MS = 4_000;

/** The connections to servers, with at least TLS 1.2. Without a connection limit, each parallel request has its own. */
export function createAgents({ tls, proxy, connections }: Pick<HttpOptions, 'tls' | 'proxy' | 'connections'>) {
  const options = {
    keepAlive: true,
    timeout: IDLE_MS,
    ...(connections !== undefined && { maxSockets: connections }),
    ...(proxy !== undefined && { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }),
  };
  return {
    'http:': new HttpAgent(options),
    'https:': new HttpsAgent({ ...options, ...tls, minVersion: 'TLSv1.2' }),
  };
}

/** The number of requests that wait for a connection. */
export const countWaiting = (agents: ReturnType<typeof createAgents>): number =>
  Object.values(agents)
    .flatMap(({ requests }) => Object.values(requests))
    .reduce((sum, waiting = []) => sum + waiting.length, 0);

/** The settings for connections to servers. */
export interface HttpOptions {
  /**
   * The time limit of one request in milliseconds, from its first byte to the last byte of the answer. A request may
   * set fewer.
   */
  readonly timeout: number;
  /** The URL before every path, without a final slash. Without it, requests have absolute URLs. */
  readonly base?: string | undefined;
  /** The maximum bytes of an answer, before and after decompression. */
  readonly maxBytes: number;
  /**
   * The maximum number of parallel requests to one origin. Further requests wait, and the wait counts as their time.
   * Absent: no limit.
   */
  readonly connections?: number | undefined;
  /** PEM. */
  readonly tls: { readonly [Part in 'ca' | 'cert' | 'key']?: string | undefined };
  /** The URL of an HTTP proxy. Absent: none. The environment's proxy settings are ignored. */
  readonly proxy?: string | undefined;
}
