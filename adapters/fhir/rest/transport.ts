import type { Axios } from 'axios';
import { createByteClient } from '../../../src/http-client/axios.ts';
import type { HttpOptions } from '../../../src/http-client/exchange.ts';
import { createTimeoutFailure, toNetworkFailure } from '../../../src/http-client/failures.ts';
import type { Credentials } from '../../../src/http-client/oauth.ts';
import { limitTimeout, RetryBudget, sendRepeatedly } from '../../../src/http-client/retry.ts';
import type { Call } from '../../../src/ports/index.ts';
import { isId } from '../schema/datatypes.ts';
import type { ServerReply } from './decode.ts';
import { Ladder } from './ladder.ts';

export interface TransportOptions extends HttpOptions {
  readonly base: string;
  /** Further base URLs under which the server names its own resources. */
  readonly bases?: readonly string[];
  /** The maximum number of retries of a read after a temporary fault. */
  readonly retries: number;
  /** The maximum share of retries among all requests. */
  readonly retryBudget: number;
}

export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the base. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** True if it changes something. A `_search` by POST does not. */
  readonly write: boolean;
}

/** The parts of a call for a request. If `omit` is present, omissions are reported. */
export type ServerCall = Pick<Call, 'signal' | 'requestId' | 'timeLeft'> &
  Partial<Pick<Call, 'omit'>> & { readonly keepsDecimals?: true };

/** The call for reading resources that are written again: it keeps the original text of decimals. */
export const keepDecimals = (call: Call): Call & ServerCall => ({ ...call, keepsDecimals: true });

/** Builds the paths of one server. No path leaves its base. */
export class ServerPaths {
  /** Without a final slash. */
  readonly base: string;

  constructor(baseUrl: string) {
    this.base = new URL(baseUrl).href.replace(/\/+$/, '');
  }

  /** `/{type}[/{id}[/_history/{version}]]` or `/{type}/_search`. An invalid id is a bug, and throws. */
  build(type: string, rest?: string, version?: string): string {
    const path = [`/${type}`, rest, ...(version === undefined ? [] : ['_history', version])]
      .filter((part) => part !== undefined)
      .join('/');
    const isKnown = rest === undefined || rest === '_search' || isId(rest);
    const fits = /^[A-Za-z]+$/.test(type) && isKnown && (version === undefined || isId(version));
    if (!fits || new URL(this.base + path).href !== this.base + path) throw new Error('the path was not validated');
    return path;
  }

  /**
   * The next page, relative to the base. For a link to another base, only the query is used, because other hosts must
   * not be called.
   */
  parseNextLink(type: string, link: string): string | undefined {
    if (!URL.canParse(link, `${this.base}/`)) return undefined;
    const { href, hash, pathname, search } = new URL(link, `${this.base}/`);
    if (new RegExp(`/${type}(?:/_search)?$`).test(pathname)) return this.build(type) + search;
    const isBelow = href.startsWith(`${this.base}/`);
    return isBelow ? href.slice(this.base.length, href.length - hash.length) : search;
  }
}

/** Sends requests to one server and returns complete answers with any status. */
export class Transport {
  readonly paths: ServerPaths;
  /** The maximum bytes of one answer. */
  readonly maxBytes: number;
  readonly ladder = new Ladder();
  readonly #bases: Set<string>;
  readonly #http: Axios;
  readonly #credentials: Credentials;
  readonly #options: TransportOptions;
  readonly #faults: FaultSignal;
  readonly #budget: RetryBudget;

  /** @param faults gets each request without an answer, and answers that only a faulty server sends. */
  constructor(credentials: Credentials, options: TransportOptions, faults = new FaultSignal()) {
    this.paths = new ServerPaths(options.base);
    this.maxBytes = options.maxBytes;
    const others = (options.bases ?? []).map((each) => each.replace(/\/+$/, ''));
    this.#bases = new Set([this.paths.base, ...others].map((each) => `${each}/`));
    this.#http = createByteClient({ ...options, base: this.paths.base });
    this.#credentials = credentials;
    this.#options = options;
    this.#faults = faults;
    this.#budget = new RetryBudget(options.retryBudget);
  }

  /**
   * Sends a request and returns one answer, with at most half of the call's remaining time. Retries a read after a
   * temporary fault, within the budget, but not a search that timed out. Retries a write only after a 401, which the
   * server did not execute.
   * @throws Failure unavailable, timeout, bad_answer, or outcome_unknown for a write whose answer was lost.
   */
  async send(request: ServerRequest, call: ServerCall): Promise<ServerReply> {
    try {
      const isSearch = request.method === 'POST' || request.path.includes('?');
      const repeats = { budget: this.#budget, retries: request.write ? 0 : this.#options.retries, isSearch };
      const reply = await sendRepeatedly(() => this.#sendAuthorized(request, call), repeats, call);
      if (reply.status === 401 || reply.status >= 500) this.#faults.report();
      return reply;
    } catch (error) {
      if (!call.signal.aborted) this.#faults.report();
      throw error;
    }
  }

  async #sendAuthorized(request: ServerRequest, call: ServerCall): Promise<ServerReply> {
    const authorization = await this.#credentials.header(call.signal);
    const reply = await this.#sendOnce(request, authorization, call);
    if (reply.status !== 401) return reply;
    const renewed = await this.#credentials.renew(authorization, call.signal);
    return renewed === authorization ? reply : this.#sendOnce(request, renewed, call);
  }

  async #sendOnce(request: ServerRequest, authorization: string | undefined, call: ServerCall): Promise<ServerReply> {
    const { signal, requestId, timeLeft, keepsDecimals = false } = call;
    if (signal.aborted) throw createTimeoutFailure();
    try {
      const { status, headers, data } = await this.#http.request<Uint8Array>({
        method: request.method,
        url: request.path,
        data: request.body && Buffer.from(request.body),
        headers: {
          Accept: 'application/fhir+json',
          'Accept-Charset': 'utf-8',
          'X-Request-Id': requestId,
          ...request.headers,
          ...(authorization !== undefined && { Authorization: authorization }),
        },
        signal,
        timeout: limitTimeout(this.#options.timeout, timeLeft),
      });
      const { maxBytes } = this;
      return { status, headers: toPlainHeaders(headers), body: data, bases: this.#bases, maxBytes, keepsDecimals };
    } catch (error) {
      throw toNetworkFailure(error, request.write);
    }
  }
}

const toPlainHeaders = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Notifies the listener that a server could not be reached, or executed a transaction non-atomically. */
export class FaultSignal {
  #listener = () => {};

  /** Sets the listener. It replaces the previous one. */
  listen(listener: () => void): void {
    this.#listener = listener;
  }

  report(): void {
    this.#listener();
  }
}
