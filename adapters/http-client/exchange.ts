import { type AxiosAdapter, AxiosError, AxiosHeaders, CanceledError, type InternalAxiosRequestConfig } from 'axios';
import { type Dispatcher, errors } from 'undici';
import { createDispatcher } from './dispatcher.ts';
import { TOO_LARGE } from './failures.ts';
import type { HttpOptions } from './http-options.ts';
import { doOnePerTurn } from './one-per-turn.ts';
import { ACCEPTED_ENCODINGS, unpack } from './unpack.ts';

/** Most bytes of a request: the largest ticket, with its files in base64, has half as many. */
const MAX_REQUEST_BYTES = 32 << 20;

/**
 * What axios sends requests with: kept connections of undici, no redirects, and one limit each for the bytes of an answer
 * and the time until it is complete. An error has the code that axios gives it, and tells in `sent` whether the request may
 * have reached the server.
 */
export function createExchangeAdapter(options: HttpOptions): AxiosAdapter {
  const { maxBytes } = options;
  const dispatcher = createDispatcher(options);
  return async (config) => {
    const { status, headers, body } = await new Promise<Answer>((resolve, reject) => {
      new Exchange(config, maxBytes, resolve, reject).start(dispatcher);
    });
    const data = await unpack(body, headers['content-encoding'], maxBytes).catch((error: Error) => {
      throw createError(toCode(error) === TOO_LARGE ? TOO_LARGE : AxiosError.ERR_BAD_RESPONSE, true);
    });
    // Their constructor would look again at what the parser has let pass.
    return { status, statusText: '', headers: Object.assign(new AxiosHeaders(), headers), data, config };
  };
}

interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** One request and its answer. Whatever ends it first, ends it: the answer, a fault, the time, or the caller. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #config: InternalAxiosRequestConfig;
  readonly #maxBytes: number;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: AxiosError) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: Record<string, string> = {};
  /** Once the request is on its way. */
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(
    config: InternalAxiosRequestConfig,
    maxBytes: number,
    resolve: (answer: Answer) => void,
    reject: (error: AxiosError) => void,
  ) {
    this.#config = config;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(dispatcher: Dispatcher): void {
    const { method = 'get', headers, data, timeout, signal } = this.#config;
    const { origin, pathname, search } = new URL(getUrl(this.#config));
    const body: Buffer | null = data ?? null;
    if (body !== null && body.length > MAX_REQUEST_BYTES) {
      this.#fail('ERR_FR_MAX_BODY_LENGTH_EXCEEDED');
      return;
    }
    // What follows, e.g. another try on a new connection, is a millisecond's work, and hundreds may be due together.
    this.#timer = setTimeout(() => doOnePerTurn(this.#endForTime), timeout);
    signal?.addEventListener?.('abort', this.#endForCaller);
    dispatcher.dispatch(
      {
        origin,
        path: pathname + search,
        method: method.toUpperCase(),
        headers: { ...headers.toJSON(true), 'accept-encoding': ACCEPTED_ENCODINGS, 'user-agent': 'Puente' },
        body,
      },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Nothing was written yet: what ended while it waited for its connection never reaches the server.
    if (this.#hasEnded) controller.abort(new Error('ended'));
    else this.#controller = controller;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#headers = toSingleValues(headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#fail(TOO_LARGE);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    const [first, ...others] = this.#chunks;
    const body = first && others.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(toCode(error, this.#status > 0));
  }

  readonly #endForTime = (): void => this.#fail('ETIMEDOUT');
  readonly #endForCaller = (): void => this.#fail(AxiosError.ERR_CANCELED);

  #fail(code: string): void {
    if (!this.#end()) return;
    this.#reject(createError(code, this.#controller !== undefined));
    this.#controller?.abort(new Error('ended'));
  }

  /** Whether it had not ended before. */
  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#config.signal?.removeEventListener?.('abort', this.#endForCaller);
    return true;
  }
}

/** As axios joins them: the base, one slash, and the path if there is one. */
function getUrl({ baseURL, url = '' }: InternalAxiosRequestConfig): string {
  if (baseURL === undefined) return url;
  return url === '' ? baseURL : `${baseURL}/${url.replace(/^\/+/, '')}`;
}

function toSingleValues(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) single[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return single;
}

/** The codes that have another name elsewhere; those of the system, of TLS and of the parser (`HPE_`) stay. */
const codes: Readonly<Record<string, string>> = {
  ERR_BUFFER_TOO_LARGE: TOO_LARGE,
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: AxiosError.ERR_BAD_RESPONSE,
};

function toCode(error: Error, isAnswered = true): string {
  if (error instanceof errors.HTTPParserError) return error.code ?? 'HPE_INVALID';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN';
  if (code === 'UND_ERR_SOCKET') return isAnswered ? AxiosError.ERR_BAD_RESPONSE : 'ECONNRESET';
  return codes[code] ?? code;
}

/** It holds no request: that has the token in it, and what is known of a patient. */
function createError(code: string, sent: boolean): AxiosError {
  // axios would put a bare error in the place of another that comes when the signal has aborted.
  const error =
    code === AxiosError.ERR_CANCELED ? new CanceledError() : new AxiosError('no complete answer came', code);
  return Object.assign(error, { sent });
}
