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
/** Milliseconds for which a key that is not among them is believed to be unknown. */
const COOLDOWN_MS = 30_000;

const stale: Impairment = {
  code: 'jwks_stale',
  detail:
    'the keys of the token issuer cannot be fetched, and old ones are used, for six hours at most; check that auth.jwt.jwksUri can be reached',
};

/** The keys that an issuer publishes at a URL. */
export class RemoteKeys {
  readonly #keys: Cached<{ readonly find: ReturnType<typeof createLocalJWKSet>; readonly since: number }>;

  constructor(url: URL) {
    const load = async ({ signal }: { readonly signal: AbortSignal }) => ({
      find: createLocalJWKSet(await fetchKeys(url, signal)),
      since: performance.now(),
    });
    this.#keys = new Cached(load, { ttlMs: () => TTL_MS, timeoutMs: TIMEOUT_MS, staleMs: () => STALE_MS });
  }

  get impairments(): readonly Impairment[] {
    return this.#keys.isStale ? [stale] : [];
  }

  /**
   * The key of a token. An unknown key, which makes the token invalid, is told from keys that cannot be fetched, which
   * say nothing about it.
   * @throws JWKSNoMatchingKey, or Rejection `auth_provider_unavailable`.
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const { find, since } = await this.#ask('get');
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || performance.now() < since + COOLDOWN_MS) throw error;
    }
    return (await this.#ask('reload')).find(header, token);
  };

  async #ask(how: 'get' | 'reload') {
    try {
      return await this.#keys[how]({ signal: new AbortController().signal });
    } catch (cause) {
      throw new Rejection('auth_provider_unavailable', { cause });
    }
  }
}

async function fetchKeys(url: URL, signal: AbortSignal): Promise<JSONWebKeySet> {
  const response = await fetch(url, { signal, redirect: 'error', headers: { Accept: 'application/json' } });
  if (response.status !== 200) throw Object.assign(new Error('no keys'), { code: `HTTP_${response.status}` });
  return (await response.json()) as JSONWebKeySet;
}
