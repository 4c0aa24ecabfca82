import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import axios, {
  Axios,
  type AxiosAdapter,
  AxiosError,
  AxiosHeaders,
  type AxiosInstance,
  type AxiosRequestConfig,
  type AxiosRequestHeaders,
  type AxiosResponse,
  type AxiosResponseTransformer,
  type CreateAxiosDefaults,
  type InternalAxiosRequestConfig,
  isAxiosError,
} from 'axios';
import { answers } from '../toolkit/clocks.ts';
import { telemetry, trace } from '../toolkit/telemetry.ts';
import { ACCEPTED_ENCODINGS, unpack } from '../toolkit/unpack.ts';
import { weighJson } from './answer-size.ts';
import { countWaiting, createAgents, createExchangeError, exchange, type HttpOptions } from './exchange.ts';
import { TOO_LARGE } from './failures.ts';

/** The maximum bytes of a request. The largest ticket, with its files in base64, has half as many. */
const MAX_REQUEST_BYTES = 32 << 20;

/**
 * Creates an axios client for a system over HTTP. It follows no redirects and ignores proxies of the environment. It limits
 * the bytes of an answer (as `weighJson` counts them) and the time of the whole exchange. It rejects answers that are
 * not JSON unless `responseType` is set. Its errors have no request, and their printed form has no answer. Their `sent`
 * is true if the request may have reached the server.
 * @param defaults of axios, for all requests.
 */
export function createHttpClient(options: HttpOptions, defaults: CreateAxiosDefaults = {}): AxiosInstance {
  return createClient(options, (own) =>
    axios.create({ responseType: 'json', transformResponse: parseJsonAnswer, ...defaults, ...own }),
  );
}

/**
 * Creates a client for callers that interpret every answer themselves: no status is an error, and bodies are bytes, or
 * a text to send. It lacks axios's defaults, because axios would merge them into each request.
 */
export function createByteClient(options: HttpOptions, headers: Readonly<Record<string, string>> = {}): Axios {
  return createClient(
    options,
    (own) => new Axios({ responseType: 'arraybuffer', validateStatus: null, headers, ...own }),
  );
}

function createClient<A extends Axios>(options: HttpOptions, create: (defaults: AxiosRequestConfig) => A): A {
  const { base, timeout } = options;
  const started = new WeakSet<object>();
  const http = create({
    adapter: createNodeAdapter(options, started),
    timeout,
    ...(base !== undefined && { baseURL: base, allowAbsoluteUrls: false }),
  });
  http.interceptors.response.use(undefined, (error: unknown) => Promise.reject(removeSecrets(error, started)));
  return http;
}

/** The client decides how requests are sent. An option of a request that it does not support is an error. */
const decided = [
  ...(['beforeRedirect', 'cancelToken', 'family', 'httpAgent', 'httpsAgent', 'insecureHTTPParser', 'lookup'] as const),
  ...([
    'maxRate',
    'maxRedirects',
    'onDownloadProgress',
    'onUploadProgress',
    'proxy',
    'socketPath',
    'transport',
  ] as const),
];

/** An axios adapter over `node:http`. */
function createNodeAdapter(options: HttpOptions, started: WeakSet<object>): AxiosAdapter {
  const agents = createAgents(options);
  return async (config) => {
    started.add(config);
    const refused = decided.find((name) => config[name]);
    if (refused) throw new AxiosError(`${refused} cannot be set for this client`, AxiosError.ERR_BAD_OPTION);
    const { url, headers, body } = await toRequest(config);
    if (body && body.length > Math.min(MAX_REQUEST_BYTES, toLimit(config.maxBodyLength))) {
      throw createExchangeError('ERR_FR_MAX_BODY_LENGTH_EXCEEDED', false);
    }
    const maxBytes = Math.min(options.maxBytes, toLimit(config.maxContentLength));
    const request = {
      url,
      method: (config.method ?? 'get').toUpperCase(),
      headers,
      body,
      timeout: config.timeout || options.timeout,
      maxBytes,
      signal: config.signal,
    };
    const sentAt = Date.now();
    const { message, body: packed } = await trace(
      telemetry.outgoing,
      () => ({
        method: request.method,
        server: url,
        headers,
        ...(options.connections !== undefined && { countWaiting: () => countWaiting(agents) }),
      }),
      () => exchange(request, agents),
    );
    if (answers.hasSubscribers)
      answers.publish({ host: url.host, headers: message.headers, sentAt, receivedAt: Date.now() });
    const encoding = config.decompress === false ? undefined : message.headers['content-encoding'];
    const bytes = await unpack(packed, encoding, maxBytes).catch((error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === 'ERR_BUFFER_TOO_LARGE';
      throw createExchangeError(isTooLarge ? TOO_LARGE : AxiosError.ERR_BAD_RESPONSE, true);
    });
    if (config.responseType === 'json' && weighJson(bytes, maxBytes) > maxBytes)
      throw createExchangeError(TOO_LARGE, true);
    const { statusCode: status = 0, statusMessage: statusText = '' } = message;
    // The constructor would check again what the parser has accepted.
    const answerHeaders: AxiosHeaders = Object.assign(new AxiosHeaders(), message.headers);
    const data = toResponseData(bytes, config);
    const response: AxiosResponse = { status, statusText, headers: answerHeaders, data, config };
    if (!config.validateStatus || config.validateStatus(status)) return response;
    const code = status < 500 ? AxiosError.ERR_BAD_REQUEST : AxiosError.ERR_BAD_RESPONSE;
    const text = `the server answered with status ${status}`;
    throw Object.assign(new AxiosError(text, code, undefined, undefined, response), { sent: true });
  };
}

/** Builds URLs from their parts. Its own defaults would be merged each time, as for a request. */
const bare = new Axios({});

async function toRequest(config: InternalAxiosRequestConfig) {
  const { headers, auth, baseURL = '', url = '', allowAbsoluteUrls = true, paramsSerializer = {} } = config;
  const params: unknown = config.params;
  const body = await readRequestBody(config.data, headers);
  headers.set('User-Agent', 'Puente', false);
  if (config.decompress !== false) headers.set('Accept-Encoding', ACCEPTED_ENCODINGS, false);
  if (body) headers.set('Content-Length', body.length);
  if (auth) {
    const pair = Buffer.from(`${auth.username}:${auth.password}`).toString('base64');
    headers.set('Authorization', `Basic ${pair}`);
  }
  const uri = bare.getUri({ baseURL, url, allowAbsoluteUrls, params, paramsSerializer });
  return { url: new URL(uri), headers: headers.toJSON(true), body };
}

const toLimit = (bytes = -1): number => (bytes < 0 ? Number.POSITIVE_INFINITY : bytes);

function toResponseData(bytes: Buffer, { responseType, responseEncoding }: InternalAxiosRequestConfig): unknown {
  if (responseType === 'arraybuffer') return bytes;
  if (responseType === 'stream') return Readable.from([bytes]);
  const encoding = responseEncoding ?? 'utf8';
  if (!Buffer.isEncoding(encoding)) throw new AxiosError('unknown responseEncoding', AxiosError.ERR_BAD_OPTION_VALUE);
  return bytes.toString(encoding).replace(/^\uFEFF/, '');
}

/** Like axios's own, but with an error whose message repeats no part of the answer. */
const parseJsonAnswer: AxiosResponseTransformer = function (data: unknown, _, status = 0): unknown {
  if (typeof data !== 'string' || data === '' || this.responseType !== 'json') return data;
  try {
    return JSON.parse(data, this.parseReviver);
  } catch {
    if (status >= 400) return data;
    throw new AxiosError('the answer is not JSON', AxiosError.ERR_BAD_RESPONSE);
  }
};

/** Removes the parts with the token. The parts that may have patient data stay accessible by name only. */
function removeSecrets(error: unknown, started: WeakSet<object>): unknown {
  if (!isAxiosError(error)) return error;
  const { config, response } = error;
  if (!('sent' in error)) Object.assign(error, { sent: config === undefined || started.has(config) });
  delete error.config;
  delete error.request;
  if (response) {
    const { status, statusText, headers } = response;
    const data: unknown = response.data;
    Object.defineProperty(error, 'response', { value: { status, statusText, headers, data }, enumerable: false });
  }
  return error;
}

/** The object that axios creates from `data` for `multipart/form-data`. */
interface FormStream extends Readable {
  getHeaders(): Record<string, string>;
}

/** The bytes of any `data` that axios accepts. Forms and files set their type in the headers. */
async function readRequestBody(data: unknown, headers: AxiosRequestHeaders): Promise<Buffer | undefined> {
  if (data === undefined || data === null) return undefined;
  if (Buffer.isBuffer(data)) return data;
  if (typeof data === 'string') return Buffer.from(data);
  if (isKind<ArrayBuffer>(data, 'ArrayBuffer')) return Buffer.from(data);
  if (isFormStream(data)) {
    headers.set(data.getHeaders());
    return buffer(data.pipe(new PassThrough()));
  }
  if (isKind<FormData>(data, 'FormData') || isKind<Blob>(data, 'Blob') || isKind<Blob>(data, 'File')) {
    const whole = new Response(data);
    headers.setContentType(whole.headers.get('Content-Type') ?? 'application/octet-stream');
    return Buffer.from(await whole.arrayBuffer());
  }
  if (isStream(data)) return buffer(data);
  throw new AxiosError('data must be text, bytes, a form or a stream', AxiosError.ERR_BAD_REQUEST);
}

const isStream = (data: object): data is AsyncIterable<unknown> => Symbol.asyncIterator in data;

const isFormStream = (data: object): data is FormStream => 'getHeaders' in data && 'pipe' in data;

const isKind = <T>(value: unknown, kind: string): value is T =>
  Object.prototype.toString.call(value) === `[object ${kind}]`;
