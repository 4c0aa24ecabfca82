import { hash } from 'node:crypto';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { Rejection } from '../api/index.ts';
import { parseJsonObject, SMALL_ANSWER } from '../http-client/answer-size.ts';
import { createByteClient } from '../http-client/axios.ts';
import { badAnswer, createTimeoutFailure, sendAgainIfBroken, toNetworkFailure } from '../http-client/failures.ts';
import { Cached } from '../toolkit/cached.ts';
import type { TimedAnswer } from '../toolkit/clocks.ts';

/** Milliseconds for which keys are used without asking. */
const TTL_MS = 600_000;
/** Milliseconds for which they are used beyond that, as long as new ones cannot be fetched. */
const STALE_MS = 6 * 3_600_000;
/** Milliseconds between two fetches for keys that are not among them, which anybody can name. */
const INTERVAL_MS = 5_000;

/** Where keys are: at a URL, or where the issuer's discovery document says. */
export type KeySource = URL | { readonly issuer: string };

interface FetchedKeys {
  readonly set: JSONWebKeySet;
  readonly answer: TimedAnswer;
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly since: number;
  /** Of the keys. */
  readonly digest: string;
}

/** The keys that an issuer publishes. */
export class RemoteKeys {
  /** Where they are, or the document that says it, with its port unless it is the usual one. */
  readonly host: string;
  readonly #keys: Cached<FetchedKeys>;
  #last: FetchedKeys | undefined;
  #failure: unknown;

  constructor(source: KeySource, ask: AskProvider = createProviderClient()) {
    this.host = (source instanceof URL ? source : new URL(source.issuer)).host;
    const load = ({ signal }: { readonly signal: AbortSignal }) => this.#load(source, ask, signal);
    this.#keys = new Cached(load, { ttlMs: () => TTL_MS, timeoutMs: PROVIDER_TIMEOUT_MS, staleMs: () => STALE_MS });
  }

  /** True if they are older than they should be, because they cannot be fetched. */
  get isStale(): boolean {
    return this.#keys.isStale;
  }

  /** What the last fetch failed with; undefined after one that succeeded. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The last ones that were fetched, and when that was. */
  get fetched(): Pick<FetchedKeys, 'set' | 'answer'> | undefined {
    return this.#last;
  }

  /** Another text whenever the keys have changed. */
  get version(): string {
    return this.#last?.digest ?? '';
  }

  /** Looks for newer keys in the background when they have become old. */
  refresh(): void {
    this.#ask('get').catch(() => undefined);
  }

  /** Fetches them, unless that was done less than five seconds ago, or failed a moment ago. `failure` has what came of it. */
  async look(): Promise<void> {
    if (this.#failure === undefined && this.#last && performance.now() < this.#last.since + INTERVAL_MS) return;
    await this.#ask('reload').catch(() => undefined);
  }

  /**
   * The key of a token. An unknown key, which makes the token invalid, is told from keys that cannot be fetched, which
   * say nothing about it. For one that is not known the keys are fetched anew, and for all of them together once in five
   * seconds: so long waits a token whose key has just been published, when a stranger names keys without end.
   * @throws JWKSNoMatchingKey, or Rejection `auth_provider_unavailable`.
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const known = await this.#ask('get');
    try {
      return await known.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    await sleep(known.since + INTERVAL_MS - performance.now());
    const { since, find } = await this.#ask('get');
    return (since > known.since ? find : (await this.#ask('reload')).find)(header, token);
  };

  async #ask(how: 'get' | 'reload') {
    try {
      return await this.#keys[how]({ signal: new AbortController().signal });
    } catch (cause) {
      throw new Rejection('auth_provider_unavailable', { cause });
    }
  }

  async #load(source: KeySource, ask: AskProvider, signal: AbortSignal): Promise<FetchedKeys> {
    try {
      const url = source instanceof URL ? source : (await discover(source.issuer, ask, signal)).jwksUri;
      if (!url) throw badAnswer('no_jwks_uri');
      const answer = await ask({ url, signal });
      const set = toKeySet(answer.body.keys);
      const digest = hash('sha256', JSON.stringify(set));
      this.#failure = undefined;
      this.#last = { set, answer, find: createLocalJWKSet(set), since: performance.now(), digest };
      return this.#last;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}

/** Without what is no key: one damaged entry takes none of the others away (RFC 7517, 5). */
function toKeySet(given: unknown): JSONWebKeySet {
  const keys = Array.isArray(given) ? given.filter(isKey) : [];
  if (!Array.isArray(given) || (given.length > 0 && keys.length === 0)) throw badAnswer('no_key_set');
  return { keys };
}

const isKey = (key: unknown): key is JSONWebKeySet['keys'][number] =>
  typeof key === 'object' && key !== null && 'kty' in key;

/** Resolves at once when there is nothing to wait for, and holds up no exit. */
const sleep = (ms: number): Promise<void> =>
  ms > 0 ? new Promise((resolve) => void setTimeout(resolve, ms).unref()) : Promise.resolve();

/** Where the issuer's endpoints are, by its own word. */
export interface Discovered {
  readonly jwksUri: URL | undefined;
  readonly introspectionEndpoint: URL | undefined;
}

/**
 * Reads the discovery document (OpenID Connect Discovery 1.0), which must be that of this very issuer.
 * @throws Failure as `ask` does.
 */
export async function discover(issuer: string, ask: AskProvider, signal: AbortSignal): Promise<Discovered> {
  const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { issuer: named, jwks_uri: jwks, introspection_endpoint: introspection } = (await ask({ url, signal })).body;
  if (named !== issuer) throw badAnswer('wrong_issuer');
  return { jwksUri: toTrustworthyUrl(jwks), introspectionEndpoint: toTrustworthyUrl(introspection) };
}

/** Nobody on the way can change what is fetched there: by TLS, or on this machine. */
function toTrustworthyUrl(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isLocal = url.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || isLocal ? url : undefined;
}

/** Milliseconds for which a token tells of the clock: that of the issuer may have been set meanwhile. */
const TOLD_MS = 600_000;

/** The clock of an issuer, as far as its tokens tell, which were issued no later than now. */
export class IssuerClock {
  #last = { iat: 0, until: 0 };

  /** Learns from a token of which it is certain that the issuer made it. `now` is in seconds since 1970. */
  see({ iat = 0 }: JWTPayload, now: number): void {
    if (iat > now) this.#last = { iat, until: performance.now() + TOLD_MS };
  }

  /** The last token from the future, as if the issuer had told its time with it now; undefined when there was none. */
  get told(): TimedAnswer | undefined {
    const { iat, until } = this.#last;
    if (performance.now() >= until) return undefined;
    return { headers: { date: new Date(iat * 1000).toUTCString() }, sentAt: 0, receivedAt: Date.now() };
  }
}

/** How an identity provider is reached. */
export interface ProviderNetwork {
  /** Certificate authorities to trust instead of the usual ones, in PEM. */
  readonly ca?: string | undefined;
  /** The URL of an HTTP proxy. */
  readonly proxy?: string | undefined;
}

export interface ProviderRequest {
  readonly url: URL;
  readonly signal: AbortSignal;
  /** Given, it is a POST of these fields. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ProviderAnswer extends TimedAnswer {
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Sends a request to an identity provider, once more when a connection breaks that was kept open.
 * @throws Failure whose `cause` has the `code` of the network, or `HTTP_` and a status that is not 200.
 */
export type AskProvider = (request: ProviderRequest) => Promise<ProviderAnswer>;

/** Milliseconds for one request. */
export const PROVIDER_TIMEOUT_MS = 2_000;

export function createProviderClient({ ca, proxy }: ProviderNetwork = {}): AskProvider {
  const options = { timeout: PROVIDER_TIMEOUT_MS, maxBytes: SMALL_ANSWER, tls: { ca }, proxy };
  const http = createByteClient(options);

  async function send({ url, signal, form, headers: given }: ProviderRequest): Promise<ProviderAnswer> {
    const sentAt = Date.now();
    const { status, data, headers } = await http.request<Uint8Array>({
      method: form ? 'POST' : 'GET',
      url: url.href,
      signal,
      headers: { Accept: 'application/json', ...given },
      data: form && String(new URLSearchParams(form)),
    });
    if (status !== 200) throw badAnswer(`HTTP_${status}`);
    const known = ['date', 'age'].filter((name) => headers[name] !== undefined);
    return {
      // Key sets come as plain files too, whose type is whatever their server makes of the name.
      body: parseJsonObject(data, 'application/json'),
      headers: Object.fromEntries(known.map((name) => [name, String(headers[name])])),
      sentAt,
      receivedAt: Date.now(),
    };
  }

  return (request) =>
    sendAgainIfBroken(() => send(request), request.signal).catch((error: unknown) => {
      // Of an error of axios only the code may survive: the rest holds the token and the client's secret.
      throw request.signal.aborted ? createTimeoutFailure('ETIMEDOUT') : toNetworkFailure(error, false);
    });
}
