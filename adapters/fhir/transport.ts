import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance, isAxiosError } from 'axios';
import { type Call, Failure } from '../../src/ports/index.ts';
import type { Credentials } from './auth.ts';
import { badAnswer, type Reply } from './decode.ts';
import { failureOfLoss, type Lost, mayRetry, TOO_LARGE } from './outcome.ts';
import { late } from './single-flight.ts';

export interface TransportOptions {
  /** Milliseconds for one request, from the first byte sent to the last byte received. */
  readonly timeout: number;
  /** Where every path begins; without a slash at its end. Absent: only absolute URLs are sent. */
  readonly base?: string;
  /** Times that a read is sent again after a passing fault. */
  readonly retries: number;
  /** Most bytes of an answer, unpacked. */
  readonly maxBytes: number;
  /** PEM. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whether it changes something. A `_search` by POST does not. */
  readonly write: boolean;
}

/** The part of a call that a request needs. */
export type Caller = Pick<Call, 'signal' | 'requestId'>;

/** An axios that follows nothing, believes nothing and reads no more than it was told to. */
export function plainHttp({ base, timeout, maxBytes, tls }: Omit<TransportOptions, 'retries'>): AxiosInstance {
  const agent = { keepAlive: true, maxSockets: 64, maxFreeSockets: 16, timeout: 4_000 + timeout };
  return axios.create({
    adapter: 'http',
    ...(base !== undefined && { baseURL: base, allowAbsoluteUrls: false }),
    maxRedirects: 0,
    proxy: false,
    responseType: 'arraybuffer',
    maxContentLength: maxBytes,
    maxBodyLength: 32 << 20,
    decompress: true,
    validateStatus: () => true,
    transitional: { clarifyTimeoutError: true, silentJSONParsing: false },
    transformRequest: [(data: unknown) => data],
    transformResponse: [(data: unknown) => data],
    httpAgent: new HttpAgent(agent),
    httpsAgent: new HttpsAgent({ ...agent, ...tls, minVersion: 'TLSv1.2' }),
  });
}

/** Sends requests to one server and brings back complete answers, whatever their status. */
export class Transport {
  readonly #http: AxiosInstance;
  readonly #credentials: Credentials;
  readonly #options: TransportOptions;

  constructor(credentials: Credentials, options: TransportOptions) {
    this.#http = plainHttp(options);
    this.#credentials = credentials;
    this.#options = options;
  }

  /**
   * One answer. A read is sent again after a passing fault; a write never, but for a 401, which was not executed.
   * @throws Failure unavailable, timeout, bad_answer, or outcome_unknown for a write whose answer was lost.
   */
  async send(request: Request, call: Caller): Promise<Reply> {
    for (let tries = 0; ; tries++) {
      const last = request.write || tries >= this.#options.retries;
      try {
        const reply = await this.#authorised(request, call);
        if (last || ![502, 503, 504].includes(reply.status) || reply.headers['retry-after']) return reply;
      } catch (error) {
        if (last || call.signal.aborted || !isPassing(error)) throw error;
      }
      await pause(tries, call.signal);
    }
  }

  async #authorised(request: Request, call: Caller): Promise<Reply> {
    const authorization = await this.#credentials.header(call.signal);
    const reply = await this.#once(request, authorization, call);
    if (reply.status !== 401) return reply;
    const renewed = await this.#credentials.renew(authorization, call.signal);
    return renewed === authorization ? reply : this.#once(request, renewed, call);
  }

  async #once(request: Request, authorization: string | undefined, { signal, requestId }: Caller): Promise<Reply> {
    if (signal.aborted) throw late();
    try {
      const { status, headers, data } = await this.#http.request<unknown>({
        method: request.method,
        url: request.path,
        data: typeof request.body === 'string' ? Buffer.from(request.body) : request.body && Buffer.from(request.body),
        headers: {
          Accept: 'application/fhir+json',
          'Accept-Charset': 'utf-8',
          'X-Request-Id': requestId,
          ...request.headers,
          ...(authorization !== undefined && { Authorization: authorization }),
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.#options.timeout)]),
      });
      if (!(data instanceof Uint8Array)) throw badAnswer('no_body');
      return { status, headers: plain(headers), body: data };
    } catch (error) {
      throw error instanceof Failure ? error : failureOfLoss(lossOf(error), request.write);
    }
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof Failure && mayRetry(String((error.cause as { code?: unknown } | undefined)?.code));

/** Full jitter, 50 to 400 ms at most (A6 of the reliability design). */
async function pause(tries: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(50 + Math.random() * Math.min(350, 100 * 2 ** tries), undefined, { signal });
  } catch {
    throw late();
  }
}

/** Of an error of axios only the code survives: the rest holds the token and what is known of a patient. */
export function lossOf(error: unknown): Lost {
  if (!isAxiosError(error)) return { code: 'UNEXPECTED', sent: true, aborted: false };
  const socket: unknown = (error.request as { socket?: unknown } | undefined)?.socket;
  const connected = typeof socket === 'object' && socket !== null && !(socket as { connecting?: boolean }).connecting;
  const aborted = error.code === 'ERR_CANCELED' || error.code === 'ETIMEDOUT';
  if (error.message.startsWith('maxContentLength')) return { code: TOO_LARGE, sent: true, aborted: false };
  return { code: error.code ?? 'UNKNOWN', sent: aborted ? connected : true, aborted };
}

function plain(headers: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
