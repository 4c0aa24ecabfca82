import { hash } from 'node:crypto';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { Rejection } from '../api/index.ts';
import { parseJsonObject, SMALL_ANSWER } from '../http-client/answer-size.ts';
import { createByteClient } from '../http-client/axios.ts';
import { badAnswer, createTimeoutFailure, sendAgainIfBroken, toNetworkFailure } from '../http-client/failures.ts';
import { Cached } from '../toolkit/cached.ts';
import type { TimedAnswer } from '../toolkit/clocks.ts';

/** Milliseconds for which keys are fresh. */
const TTL_MS = 600_000;
/** Further milliseconds for which stale keys are used if no fetch succeeds. */
const STALE_MS = 6 * 3_600_000;
/** Milliseconds between two fetches for unknown key ids, which anybody can invent. */
const INTERVAL_MS = 5_000;

/** The source of keys: a URL, or the issuer's discovery document. */
export type KeySource = URL | { readonly issuer: string };

interface FetchedKeys {
  readonly set: JSONWebKeySet;
  readonly answer: TimedAnswer;
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly since: number;
  /** The digest of the keys. */
  readonly digest: string;
}

/** The keys that an issuer publishes. */
export class RemoteKeys {
  /** The host of the keys or of the discovery document, with its port unless it is the default. */
  readonly host: string;
  readonly #keys: Cached<FetchedKeys>;
  #last: FetchedKeys | undefined;
  #failure: unknown;

  constructor(source: KeySource, ask: AskProvider = createProviderClient()) {
    this.host = (source instanceof URL ? source : new URL(source.issuer)).host;
    const load = ({ signal }: { readonly signal: AbortSignal }) => this.#load(source, ask, signal);
    this.#keys = new Cached(load, { ttlMs: () => TTL_MS, timeoutMs: PROVIDER_TIMEOUT_MS, staleMs: () => STALE_MS });
  }

  /** True if the keys have expired and cannot be fetched. */
  get isStale(): boolean {
    return this.#keys.isStale;
  }

  /** The error of the last fetch. Undefined if it succeeded. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The last fetched keys with the time of the fetch. */
  get fetched(): Pick<FetchedKeys, 'set' | 'answer'> | undefined {
    return this.#last;
  }

  /** Differs after each change of the keys. Empty if there are none, or none that may still be used. */
  get version(): string {
    return this.#keys.usable?.digest ?? '';
  }

  /** Starts a fetch in the background if the keys have expired. */
  refresh(): void {
    this.#ask('get').catch(() => undefined);
  }

  /** Fetches the keys, unless a fetch ended less than five seconds ago or has just failed. `failure` has the result. */
  async look(): Promise<void> {
    if (this.#failure === undefined && this.#last && performance.now() < this.#last.since + INTERVAL_MS) return;
    await this.#ask('reload').catch(() => undefined);
  }

  /**
   * Returns the key of a token. An unknown key makes the token invalid; a failed fetch leaves the token's validity
   * open. An unknown key id causes a fetch, at most once in five seconds for all of them together. A token with a newly
   * published key therefore waits up to five seconds under a flood of unknown key ids.
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

/** Drops invalid entries: one damaged key does not remove the others (RFC 7517, 5). */
function toKeySet(given: unknown): JSONWebKeySet {
  const keys = Array.isArray(given) ? given.filter(isKey) : [];
  if (!Array.isArray(given) || (given.length > 0 && keys.length === 0)) throw badAnswer('no_key_set');
  return { keys };
}

const isKey = (key: unknown): key is JSONWebKeySet['keys'][number] =>
  typeof key === 'object' && key !== null && 'kty' in key;

/** Resolves at once for no time, and does not keep the process alive. */
const sleep = (ms: number): Promise<void> =>
  ms > 0 ? new Promise((resolve) => void setTimeout(resolve, ms).unref()) : Promise.resolve();

/** The issuer's endpoints from its discovery document. */
export interface Discovered {
  readonly jwksUri: URL | undefined;
  readonly introspectionEndpoint: URL | undefined;
}

/**
 * Reads the discovery document (OpenID Connect Discovery 1.0). The document must name this exact issuer.
 * @throws Failure as `ask` does.
 */
export async function discover(issuer: string, ask: AskProvider, signal: AbortSignal): Promise<Discovered> {
  const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { issuer: named, jwks_uri: jwks, introspection_endpoint: introspection } = (await ask({ url, signal })).body;
  if (named !== issuer) throw badAnswer('wrong_issuer');
  return { jwksUri: toTrustworthyUrl(jwks), introspectionEndpoint: toTrustworthyUrl(introspection) };
}

/** Returns the URL if nobody on the way can change the answer: it uses TLS, or is on this machine. */
function toTrustworthyUrl(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isLocal = url.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || isLocal ? url : undefined;
}

/** Milliseconds for which a token is evidence of the clock. After that, the issuer's clock may have been corrected. */
const TOLD_MS = 600_000;

/** The clock of an issuer, estimated from its tokens: the issuer cannot have issued them later than now. */
export class IssuerClock {
  #last = { iat: 0, until: 0 };

  /** Learns from a token that the issuer has certainly issued. `now` is in seconds since 1970. */
  see({ iat = 0 }: JWTPayload, now: number): void {
    if (iat > now) this.#last = { iat, until: performance.now() + TOLD_MS };
  }

  /** The last token from the future, as an answer with the issuer's time. Undefined if there was none. */
  get told(): TimedAnswer | undefined {
    const { iat, until } = this.#last;
    if (performance.now() >= until) return undefined;
    return { headers: { date: new Date(iat * 1000).toUTCString() }, sentAt: 0, receivedAt: Date.now() };
  }
}

/** The network settings of an identity provider. */
export interface ProviderNetwork {
  /** Certificate authorities that replace the default ones, in PEM. */
  readonly ca?: string | undefined;
  /** The URL of an HTTP proxy. */
  readonly proxy?: string | undefined;
}

export interface ProviderRequest {
  readonly url: URL;
  readonly signal: AbortSignal;
  /** If present, the request is a POST with these fields. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ProviderAnswer extends TimedAnswer {
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Sends a request to an identity provider. If a reused connection breaks, it sends the request once more.
 * @throws Failure whose `cause` has the `code` of the network, or `HTTP_` and a status other than 200.
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
      // Plain files can serve key sets too. Their media type depends on the file name.
      body: parseJsonObject(data, 'application/json'),
      headers: Object.fromEntries(known.map((name) => [name, String(headers[name])])),
      sentAt,
      receivedAt: Date.now(),
    };
  }

  return (request) =>
    sendAgainIfBroken(() => send(request), request.signal).catch((error: unknown) => {
      // Only the code of an axios error may survive: the other parts contain the token and the client's secret.
      throw request.signal.aborted ? createTimeoutFailure('ETIMEDOUT') : toNetworkFailure(error, false);
    });
}
