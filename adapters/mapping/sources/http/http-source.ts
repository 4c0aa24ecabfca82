import type { Axios } from 'axios';
import iconv from 'iconv-lite';
import { ListSize } from '../../../../src/http-client/answer-size.ts';
import { createByteClient } from '../../../../src/http-client/axios.ts';
import type { HttpOptions } from '../../../../src/http-client/exchange.ts';
import {
  badAnswer,
  createTimeoutFailure,
  parseRetryAfter,
  TOO_LARGE,
  toNetworkFailure,
} from '../../../../src/http-client/failures.ts';
import { createCredentials, readTls } from '../../../../src/http-client/oauth.ts';
import { limitTimeout, RetryBudget, sendRepeatedly } from '../../../../src/http-client/retry.ts';
import { Failure } from '../../../../src/ports/index.ts';
import { Cached } from '../../../../src/toolkit/cached.ts';
import { readProxy, readSecret } from '../../../../src/toolkit/secret.ts';
import {
  type Change,
  type ChangeResult,
  type Meaning,
  NotMade,
  type Question,
  requireFewRecords,
  type SourceCall,
  type SourceRecord,
  type Values,
} from '../source.ts';
import {
  countItems,
  findFirstPage,
  findMeaning,
  findNextPage,
  findText,
  type PagePlace,
  readAnswer,
  readRecords,
  type SystemAnswer,
} from './answer.ts';
import type { HttpChange, HttpQuestion, HttpSettings, SessionLogin } from './schema.ts';
import {
  addUsernameToken,
  encodeText,
  type FilledRequest,
  fillRequest,
  findHttpNames,
  type Template,
} from './template.ts';

/** The share of all requests that may be sent again. */
const RETRY_SHARE = 0.1;
/** The maximum number of login renewals for one request: simultaneous requests can use up several sessions. */
const MOST_RENEWALS = 3;

/** Sends questions and changes to a system over HTTP. */
export class HttpSource {
  readonly #settings: HttpSettings;
  /** Without a trailing slash. */
  readonly #base: string;
  readonly #http: Axios;
  readonly #login: Login;
  readonly #read: typeof readSecret;
  readonly #budget = new RetryBudget(RETRY_SHARE);

  private constructor(settings: HttpSettings, http: Axios, login: Login, read: typeof readSecret) {
    this.#read = read;
    this.#settings = settings;
    this.#base = toBase(settings);
    this.#http = http;
    this.#login = login;
  }

  /** @throws SettingsProblem if a secret or a file is missing, or a key cannot be used. */
  static async open(settings: HttpSettings, readReference = readSecret): Promise<HttpSource> {
    const { timeout, bytes, proxy, headers } = settings;
    const options = {
      timeout,
      maxBytes: bytes,
      tls: readTls(settings, 'http.tls'),
      ...(proxy !== undefined && { proxy: readProxy(proxy, 'http.proxy') }),
    };
    const read = (text: string) => (/^(env|file):/.test(text) ? readSecret(text, 'http.headers') : text);
    const own = Object.fromEntries(Object.entries(headers).map(([key, text]) => [key, read(text)]));
    const http = createByteClient(
      { ...options, base: toBase(settings) },
      { Accept: accepted[settings.answers], ...own },
    );
    return new HttpSource(settings, http, await createLogin(settings, http, options), readReference);
  }

  /** @throws SettingsProblem if a secret is missing. */
  question(definition: HttpQuestion): Question {
    const taken = takeSecrets(definition, 'http', this.#read);
    return {
      names: findHttpNames(definition),
      // A record whose values cannot be sent cannot exist.
      ask: (values, call) => this.#ask(taken, values, call).catch((error: unknown) => toMeaning(error) && []),
    };
  }

  /** @throws SettingsProblem if a secret is missing. */
  change(definition: HttpChange): Change {
    const taken = takeSecrets(definition, 'http', this.#read);
    return {
      names: findHttpNames(definition),
      make: (values, _, call) => this.#make(taken, values, call).catch(toMeaning),
    };
  }

  /** Logs in, and waits for any answer of the system. */
  async reach(call: SourceCall): Promise<void> {
    const headers = await this.#login.get(call);
    await this.#send({ method: 'GET', path: '/', headers: {} }, headers, false, call).catch((error: unknown) => {
      // The page at the base may have any content.
      if (!(error instanceof Failure) || error.kind !== 'bad_answer') throw error;
    });
  }

  async #ask(taken: WithoutSecrets<HttpQuestion>, values: Values, call: SourceCall): Promise<readonly SourceRecord[]> {
    const { pages, records: path, errors } = taken.template;
    const found: SourceRecord[] = [];
    const size = new ListSize(this.#settings.bytes);
    let items = 0;
    let place: PagePlace | undefined = findFirstPage(pages);
    for (let read = 1; place; read++) {
      const request = this.#fill(taken, values, place);
      const { answer, meaning } = await this.#exchange(request, errors, false, call);
      if (meaning === 'nothing') return found;
      if (meaning !== 'good') throw toFailure(answer, meaning, false);
      size.add(answer.weight);
      for (const each of readRecords(answer, path, this.#settings)) found.push(each);
      requireFewRecords(found, this.#settings.records);
      const count = countItems(answer.content, path);
      items += count;
      const url = new URL(this.#base + request.path);
      place = pages && findNextPage(pages, { content: answer.content, size: count, pages: read, items, url });
      if (place && read === pages?.most) throw badAnswer(TOO_LARGE, 'pages.most');
    }
    return found;
  }

  async #make(taken: WithoutSecrets<HttpChange>, values: Values, call: SourceCall): Promise<ChangeResult> {
    const { id: path, defaults: all = {}, errors } = taken.template;
    const given = Object.entries(values).filter(([, all]) => all.length > 0);
    const defaults = Object.entries(all).map(([name, value]) => [name, [value]] as const);
    const request = this.#fill(taken, Object.fromEntries([...defaults, ...given]));
    const { answer, meaning } = await this.#exchange(request, errors, true, call);
    if (meaning === undefined || meaning === 'busy') throw toFailure(answer, meaning, true);
    if (meaning !== 'good') return { meaning };
    if (path === undefined) return {};
    const id = findText(answer.content, path);
    if (id === undefined) throw createOutcomeUnknown('no_id');
    return { id };
  }

  #fill(
    { template, secrets, references }: WithoutSecrets<Template>,
    values: Values,
    place: PagePlace = {},
  ): FilledRequest {
    const fill = (more: Values) =>
      fillRequest(template, { ...values, ...more }, this.#settings.charset, place instanceof URL ? {} : place);
    const request = { ...fill(secrets), ...(Object.keys(references).length > 0 && { shown: fill(references) }) };
    if (!(place instanceof URL)) return request;
    const { href, hash } = place;
    if (!href.startsWith(`${this.#base}/`)) throw badAnswer('foreign_link');
    const path = href.slice(this.#base.length, href.length - hash.length);
    return { ...request, path };
  }

  /** Sends a request. If the system refuses the login, renews it and sends the request again. */
  async #exchange(request: FilledRequest, errors: HttpChange['errors'], isChange: boolean, call: SourceCall) {
    const repeats = { budget: this.#budget, retries: isChange ? 0 : this.#settings.retries };
    let headers = await this.#login.get(call);
    for (let renewals = 0; ; renewals++) {
      const answer = await sendRepeatedly(() => this.#send(request, headers, isChange, call), repeats, call);
      const meaning = findMeaning(answer, this.#settings.errors, errors);
      if (meaning !== 'session' && (meaning !== undefined || answer.status !== 401)) return { answer, meaning };
      const renewed = renewals < MOST_RENEWALS ? await this.#login.renew(headers, call) : undefined;
      if (!renewed) throw createLoginFailure(answer);
      headers = renewed;
    }
  }

  async #send(request: FilledRequest, headers: Headers, isChange: boolean, call: SourceCall): Promise<SystemAnswer> {
    const { method, path, body } = request;
    const { signal, requestId, timeLeft, observe } = call;
    const { charset, timeout } = this.#settings;
    const { sign } = this.#login;
    if (signal.aborted) throw createTimeoutFailure();
    const reply = await this.#http
      .request<Uint8Array>({
        method,
        url: path,
        headers: { 'X-Request-Id': requestId, ...request.headers, ...headers },
        data: body && sign ? encodeText(sign(iconv.decode(body, charset)), charset) : body,
        signal,
        timeout: limitTimeout(timeout, timeLeft),
      })
      .catch((error: unknown) => {
        throw toNetworkFailure(error, isChange);
      });
    observe?.({
      sent: show(request.shown ?? request, charset),
      answer: iconv.decode(Buffer.from(reply.data), charset),
      status: reply.status,
    });
    try {
      return readAnswer(reply, this.#settings);
    } catch (error) {
      throw isChange ? createOutcomeUnknown('bad_answer') : error;
    }
  }
}

const show = ({ method, path, body }: FilledRequest, charset: string): string =>
  [method, path, body && iconv.decode(body, charset)].filter(Boolean).join(' ');

/** The meaning of a request that was not sent. */
function toMeaning(error: unknown): ChangeResult {
  if (error instanceof NotMade) return { meaning: error.meaning };
  throw error;
}

const toBase = ({ url }: HttpSettings): string => new URL(url).href.replace(/\/+$/, '');
const accepted = { json: 'application/json', xml: 'text/xml, application/xml', csv: 'text/csv' } as const;

const createLoginFailure = ({ status }: SystemAnswer): Failure =>
  new Failure('unavailable', 'the system refuses our login', {
    code: 'backend_auth',
    cause: { code: `HTTP_${status}` },
  });

const createOutcomeUnknown = (code: string): Failure =>
  new Failure('outcome_unknown', 'the system’s answer to a change does not show its outcome', {
    cause: { code },
  });

/** The failure for an error answer without a meaning in the file. */
function toFailure(answer: SystemAnswer, meaning: Meaning | undefined, isChange: boolean): Failure {
  const { status } = answer;
  const cause = { code: meaning ?? `HTTP_${status}` };
  if (meaning === 'busy' || status === 429 || (status === 503 && !isChange)) {
    const retryAfter = parseRetryAfter(answer.headers['retry-after']);
    return new Failure('overloaded', 'the system is busy', { cause, retryAfter });
  }
  if (meaning === 'refused' || status === 401 || status === 403) return createLoginFailure(answer);
  if (isChange) return createOutcomeUnknown(cause.code);
  return status >= 500 ? new Failure('unavailable', 'the system fails', { cause }) : badAnswer('unknown_code');
}

export type Headers = Readonly<Record<string, string>>;

/** The authentication of requests. */
export interface Login {
  /** Headers of every request. */
  get(call: SourceCall): Promise<Headers>;
  /** Returns other headers after `stale` were refused, if possible. All callers share one renewal. */
  renew(stale: Headers, call: SourceCall): Promise<Headers | undefined>;
  /** Adds the authentication to the body of a request. */
  sign?(body: string): string;
}

/** @throws SettingsProblem if a secret is missing, or a key cannot be used. */
async function createLogin(settings: HttpSettings, http: Axios, options: HttpOptions): Promise<Login> {
  const { login: auth, url } = settings;
  if (auth.kind === 'session') return createSession(auth, settings, http);
  if (auth.kind === 'ws-security') {
    const password = readSecret(auth.password, 'http.login');
    const sign = (body: string) => addUsernameToken(body, auth.user, password, auth.digest);
    return { get: async () => ({}), renew: async () => undefined, sign };
  }
  const credentials = await createCredentials({ auth }, url, options, 'http.login');
  const toHeaders = (value?: string): Headers => (value === undefined ? {} : { Authorization: value });
  return {
    get: async ({ signal }) => toHeaders(await credentials.header(signal)),
    renew: async ({ Authorization: stale }, { signal }) => {
      const renewed = await credentials.renew(stale, signal);
      return renewed === stale ? undefined : toHeaders(renewed);
    },
  };
}

/** A session that a request begins and that all callers share. Failed logins are retried with growing pauses. */
function createSession(login: SessionLogin, settings: HttpSettings, http: Axios): Login {
  const { template, secrets } = takeSecrets(login, 'http.login');
  const session = new Cached<Headers, SourceCall>((call) => logIn({ template, secrets }, settings, http, call), {
    ttlMs: () => Number.POSITIVE_INFINITY,
    staleMs: () => 0,
    timeoutMs: settings.timeout,
  });
  return {
    get: (call) => session.get(call),
    renew: async (stale, call) => {
      const current = await session.get(call);
      return current === stale ? session.reload(call) : current;
    },
  };
}

/** A request with a `:name` in the place of each secret, the secrets, and the references to them. */
export type WithoutSecrets<T> = { readonly template: T; readonly secrets: Values; readonly references: Values };

function takeSecrets<T extends Template>(definition: T, setting: string, read = readSecret): WithoutSecrets<T> {
  const secrets: Record<string, string[]> = {};
  const references: Record<string, string[]> = {};
  const take = (reference: string): string => {
    const name = `secret${Object.keys(secrets).length}`;
    secrets[name] = [read(reference, setting)];
    references[name] = [reference];
    return `:${name}`;
  };
  const text = JSON.stringify(definition, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (/^(env|file):/.test(value)) return take(value);
    return value.replace(/(?<=>\s*)(env|file):[^<>]+?(?=\s*<)/g, take);
  });
  return { template: JSON.parse(text) as T, secrets, references };
}

async function logIn(
  { template, secrets }: Omit<WithoutSecrets<SessionLogin>, 'references'>,
  settings: HttpSettings,
  http: Axios,
  { signal, observe }: SourceCall,
): Promise<Headers> {
  const { method, path, headers, body } = fillRequest(template, secrets, settings.charset);
  const reply = await http
    .request<Uint8Array>({ method, url: path, headers: { ...headers }, data: body, signal })
    .catch((error: unknown) => {
      throw toNetworkFailure(error, false);
    });
  const answer = readAnswer(reply, settings);
  observe?.({ sent: template.request, answer: '', status: answer.status });
  const { token: at, tokenHeader = '', header, before } = template;
  const token = at === undefined ? answer.headers[tokenHeader.toLowerCase()] : findText(answer.content, at);
  const cookies = [answer.headers['set-cookie'] ?? []].flat().map((cookie) => String(cookie).split(';')[0]);
  const isIn =
    findMeaning(answer, settings.errors) === 'good' &&
    (header === undefined ? cookies.length > 0 : token !== undefined);
  if (answer.status === 429 || answer.status >= 500) throw toFailure(answer, undefined, false);
  if (!isIn) {
    const cause = { code: 'login_refused' };
    throw new Failure('unavailable', 'the system refuses our login', { code: 'backend_auth', cause });
  }
  return {
    ...(header !== undefined && { [header]: `${before}${token}` }),
    ...(cookies.length > 0 && { Cookie: cookies.join('; ') }),
  };
}
