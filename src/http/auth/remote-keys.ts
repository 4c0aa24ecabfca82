import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { Cached } from '../../../adapters/cached.ts';
import { Rejection } from '../../api/index.ts';
import type { Impairment } from '../../ports/index.ts';

/** Milliseconds for one request. */
const TIMEOUT_MS = 2_000;
/** Milliseconds for which keys are used without asking. */
const TTL_MS = 600_000;
/** Milliseconds for which they are used beyond that, as long as new ones cannot be fetched. */
const STALE_MS = 6 * 3_600_000;
/** Milliseconds between two fetches for keys that are not among them, which anybody can name. */
const INTERVAL_MS = 5_000;

const stale: Impairment = {
  code: 'jwks_stale',
  detail:
    'the keys of the token issuer cannot be fetched, and old ones are used, for six hours at most; check that auth.jwt.jwksUri can be reached',
};

/** Where keys are: at a URL, or where the issuer's discovery document says (OpenID Connect Discovery 1.0). */
export type KeySource = URL | { readonly issuer: string };

/** The keys that an issuer publishes. */
export class RemoteKeys {
  readonly #keys: Cached<{ readonly find: ReturnType<typeof createLocalJWKSet>; readonly since: number }>;
  #text = '';
  #version = 0;

  constructor(source: KeySource) {
    const load = async ({ signal }: { readonly signal: AbortSignal }) => {
      const keys = await fetchKeys(source, signal);
      const find = createLocalJWKSet(keys);
      this.#count(JSON.stringify(keys));
      return { find, since: performance.now() };
    };
    this.#keys = new Cached(load, { ttlMs: () => TTL_MS, timeoutMs: TIMEOUT_MS, staleMs: () => STALE_MS });
  }

  get impairments(): readonly Impairment[] {
    return this.#keys.isStale ? [stale] : [];
  }

  /** Another number whenever the keys have changed. */
  get version(): number {
    return this.#version;
  }

  /** Looks for newer keys in the background when they have become old. */
  refresh(): void {
    this.#ask('get').catch(() => undefined);
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

  #count(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#version += 1;
  }
}

async function fetchKeys(source: KeySource, signal: AbortSignal): Promise<JSONWebKeySet> {
  const url = source instanceof URL ? source : await discoverKeys(source.issuer, signal);
  return (await fetchJson(url, signal)) as JSONWebKeySet;
}

/** Where the issuer's keys are, by its own word. The document must be that of this very issuer. */
async function discoverKeys(issuer: string, signal: AbortSignal): Promise<URL> {
  const document = await fetchJson(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`), signal);
  const { issuer: named, jwks_uri: uri } = Object(document) as { issuer?: unknown; jwks_uri?: unknown };
  if (named !== issuer) throw Object.assign(new Error('the document of another'), { code: 'wrong_issuer' });
  if (typeof uri !== 'string' || !isTrustworthy(uri))
    throw Object.assign(new Error('no keys'), { code: 'no_jwks_uri' });
  return new URL(uri);
}

/** Whether nobody on the way can change what is fetched there: by TLS, or on this machine. */
function isTrustworthy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname));
}

async function fetchJson(url: URL, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal, redirect: 'error', headers: { Accept: 'application/json' } });
  if (response.status !== 200) throw Object.assign(new Error('no keys'), { code: `HTTP_${response.status}` });
  return response.json();
}

/** Resolves at once when there is nothing to wait for, and holds up no exit. */
const sleep = (ms: number): Promise<void> =>
  ms > 0 ? new Promise((resolve) => void setTimeout(resolve, ms).unref()) : Promise.resolve();
