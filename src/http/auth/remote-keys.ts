import { hash } from 'node:crypto';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { Rejection } from '../../api/index.ts';
import { Cached } from '../../toolkit/cached.ts';
import type { TimedAnswer } from '../../toolkit/http-client/examine-clock.ts';
import { badAnswer } from '../../toolkit/http-client/failures.ts';
import { discover } from './discovery.ts';
import { type AskProvider, createProviderClient, PROVIDER_TIMEOUT_MS } from './provider-client.ts';

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

  /** Whether they are older than they should be, because they cannot be fetched. */
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
