import { type ClientRequest, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { AxiosError, CanceledError, type GenericAbortSignal } from 'axios';
import type { createAgents } from './agents.ts';
import { TOO_LARGE } from './failures.ts';

/** A request whose body is complete. */
export interface CompleteRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | undefined;
  /** Milliseconds from the first byte of the request to the last one of the answer. */
  readonly timeout: number;
  /** Most bytes of the answer, as they come. */
  readonly maxBytes: number;
  readonly signal: GenericAbortSignal | undefined;
}

/** An answer whose body is complete, packed as it came. */
export interface CompleteAnswer {
  readonly message: IncomingMessage;
  readonly body: Buffer;
}

/**
 * Sends a request by `node:http` and brings the complete answer, whatever its status.
 * @throws AxiosError with the code of the network; `sent` tells whether the request may have reached the server.
 */
export function exchange(request: CompleteRequest, agents: ReturnType<typeof createAgents>): Promise<CompleteAnswer> {
  return new Promise((resolve, reject) => new Exchange(request, agents, resolve, reject).start());
}

/** One request and its answer. The answer, a fault, the time or the caller ends it, whichever comes first. */
class Exchange {
  readonly #request: CompleteRequest;
  readonly #agents: ReturnType<typeof createAgents>;
  readonly #resolve: (answer: CompleteAnswer) => void;
  readonly #reject: (error: AxiosError) => void;
  #current: ClientRequest | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sent = false;
  #isAnswered = false;
  #hasEnded = false;

  constructor(
    request: CompleteRequest,
    agents: ReturnType<typeof createAgents>,
    resolve: (answer: CompleteAnswer) => void,
    reject: (error: AxiosError) => void,
  ) {
    this.#request = request;
    this.#agents = agents;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { timeout, signal } = this.#request;
    if (signal?.aborted) {
      this.#endForCaller();
      return;
    }
    this.#timer = setTimeout(this.#endForTime, timeout);
    signal?.addEventListener?.('abort', this.#endForCaller);
    this.#connect();
  }

  #connect(): void {
    const { url, method, headers } = this.#request;
    const current =
      url.protocol === 'https:'
        ? httpsRequest(url, { method, headers, agent: this.#agents['https:'] satisfies HttpsAgent })
        : httpRequest(url, { method, headers, agent: this.#agents['http:'] });
    this.#current = current;
    current.once('socket', (socket) => this.#send(current, socket));
    current.once('response', (message) => this.#receive(message));
    current.on('error', (error) => this.#handleError(error));
  }

  /** A kept connection that the server has closed says so before the next turn but one: then nothing was written on it. */
  #send(current: ClientRequest, socket: Socket): void {
    if (current.reusedSocket) {
      setImmediate(() => setImmediate(() => this.#write(current)));
    } else if (socket.connecting) {
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        this.#sent = true;
      });
      current.end(this.#request.body);
    } else {
      this.#write(current);
    }
  }

  #write(current: ClientRequest): void {
    if (this.#hasEnded || current !== this.#current || current.destroyed) return;
    this.#sent = true;
    current.end(this.#request.body);
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
      if (this.#end()) this.#resolve({ message, body: Buffer.concat(chunks) });
    });
    message.on('error', (error) => this.#handleError(error));
  }

  #handleError(error: Error): void {
    if (this.#hasEnded) return;
    const code = toCode(error);
    if (this.#current?.reusedSocket && !this.#sent) this.#connect();
    else this.#fail(this.#isAnswered && code === 'ECONNRESET' ? AxiosError.ERR_BAD_RESPONSE : code);
  }

  readonly #endForTime = (): void => this.#fail('ETIMEDOUT');
  readonly #endForCaller = (): void => this.#fail(AxiosError.ERR_CANCELED);

  #fail(code: string): void {
    if (!this.#end()) return;
    this.#reject(createExchangeError(code, this.#sent));
    this.#current?.destroy();
  }

  /** Whether it had not ended before. */
  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener?.('abort', this.#endForCaller);
    return true;
  }
}

/** Of a server that speaks no TLS the code depends on whether it is read from or written to first; the reason does not. */
function toCode(error: Error): string {
  if (/:wrong version number\b/.test(error.message)) return 'ERR_SSL_WRONG_VERSION_NUMBER';
  return 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN';
}

/** It holds no request: that has the token in it, and what is known of a patient. */
export function createExchangeError(code: string, sent: boolean): AxiosError {
  // axios would put a bare error in the place of another that comes when the signal has aborted.
  const error =
    code === AxiosError.ERR_CANCELED ? new CanceledError() : new AxiosError('no complete answer came', code);
  return Object.assign(error, { sent });
}
