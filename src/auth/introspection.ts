import type { JWTPayload } from 'jose';
import { Rejection } from '../api/index.ts';
import { badAnswer } from '../http-client/failures.ts';
import type { ClientProof } from '../http-client/oauth.ts';
import { type Backoff, computePause } from '../toolkit/backoff.ts';
import { Cached } from '../toolkit/cached.ts';
import { type AskProvider, discover, PROVIDER_TIMEOUT_MS } from './remote-keys.ts';

/** The settings for introspection at the issuer (RFC 7662). */
export interface IntrospectionSettings {
  readonly issuer: string;
  /** Absent: the endpoint in the issuer's discovery document. */
  readonly endpoint?: URL | undefined;
  /** The tokens to introspect. */
  readonly tokens: 'all' | 'opaque' | 'jwt';
  /** The seconds for which an answer is cached. */
  readonly cacheSeconds: number;
  readonly prove: ClientProof;
  readonly ask: AskProvider;
}

/** The address of a token's sender, with its count of failed tokens. */
export interface TokenOrigin {
  findAddress(): string;
  /** @throws Rejection `rate_limited` after too many failed tokens from this address; the issuer is then not asked. */
  requireAttempt(): Promise<void>;
  /** Counts a token that could not be checked as failed. */
  countFailure(): Promise<void>;
}

/**
 * Milliseconds for which the address from the discovery document is fresh, and further ones while the document cannot
 * be read.
 */
const DISCOVERY_TTL_MS = 600_000;
const DISCOVERY_STALE_MS = 6 * 3_600_000;
/** The maximum number of cached answers. */
const MAX_ANSWERS = 10_000;
/** Pauses after two failures in a row, in milliseconds. */
const betweenFailures: Backoff = { first: 500, longest: 10_000 };

interface IntrospectionAnswer {
  readonly claims: JWTPayload | undefined;
  /** By `performance.now()`. */
  readonly until: number;
}

/**
 * Asks the issuer whether tokens are active. Answers are cached for seconds by the token's hash. Parallel questions
 * about a token share one request.
 */
export class Introspection {
  readonly #settings: IntrospectionSettings;
  readonly #endpoint: Cached<URL>;
  readonly #answers = new Map<string, IntrospectionAnswer>();
  readonly #asking = new Map<string, Promise<JWTPayload | undefined>>();
  /** Tokens that the issuer has certainly issued never queue behind tokens that anybody can invent. */
  readonly #issued = new QuestionQueue();
  readonly #unknown = new QuestionQueue();
  #failed: { readonly error: unknown; readonly count: number; readonly pauseUntil: number } | undefined;
  #lastAnswer = Number.NEGATIVE_INFINITY;

  constructor(settings: IntrospectionSettings) {
    this.#settings = settings;
    const { endpoint, issuer, ask } = settings;
    const find = async ({ signal }: { readonly signal: AbortSignal }): Promise<URL> => {
      const found = endpoint ?? (await discover(issuer, ask, signal)).introspectionEndpoint;
      if (!found) throw badAnswer('no_introspection_endpoint');
      return found;
    };
    this.#endpoint = new Cached(find, {
      ttlMs: () => DISCOVERY_TTL_MS,
      staleMs: () => DISCOVERY_STALE_MS,
      timeoutMs: PROVIDER_TIMEOUT_MS,
    });
  }

  get host(): string {
    return (this.#settings.endpoint ?? new URL(this.#settings.issuer)).host;
  }

  /** The error of the last request. Undefined if it succeeded. */
  get failure(): unknown {
    return this.#failed?.error;
  }

  isFor(kind: 'opaque' | 'jwt'): boolean {
    return this.#settings.tokens === 'all' || this.#settings.tokens === kind;
  }

  /**
   * Returns the issuer's claims for the token. Undefined if the token is not active.
   * @param digest the token's hash.
   * @param source the sender, unless the token's signature proves that the issuer issued it.
   * @throws Rejection `auth_provider_unavailable`, at once during a pause after failures; `rate_limited` as the source
   * does.
   */
  async introspect(token: string, digest: string, source?: TokenOrigin): Promise<JWTPayload | undefined> {
    const kept = this.#answers.get(digest);
    if (kept && performance.now() < kept.until) return kept.claims;
    const asking = this.#asking.get(digest);
    if (asking) return asking;
    // A token that was active the last time is genuine.
    const origin = kept?.claims ? undefined : source;
    const question = this.#ask(token, origin).finally(() => this.#asking.delete(digest));
    this.#asking.set(digest, question);
    const claims = await question;
    this.#keep(digest, claims);
    return claims;
  }

  /** Asks about an invented token, unless the last answer is younger than five seconds. `failure` has the result. */
  async look(): Promise<void> {
    if (performance.now() < this.#lastAnswer + 5_000) return;
    await this.#ask('puente').catch(() => undefined);
  }

  async #ask(token: string, origin?: TokenOrigin): Promise<JWTPayload | undefined> {
    if (!origin) return this.#issued.run('', () => this.#askOnce(token));
    try {
      return await this.#unknown.run(origin.findAddress(), async () => {
        await origin.requireAttempt();
        return this.#askOnce(token);
      });
    } catch (error) {
      if (error instanceof Rejection && error.code === 'auth_provider_unavailable') await origin.countFailure();
      throw error;
    }
  }

  async #askOnce(token: string): Promise<JWTPayload | undefined> {
    this.#expectNoPause();
    const claims = await this.#askNow(token).catch((error: unknown) => {
      this.#countFailure(error);
      throw toUnavailable(error);
    });
    this.#failed = undefined;
    this.#lastAnswer = performance.now();
    return claims;
  }

  /** Parallel requests fail together, which counts as one failure. */
  #countFailure(error: unknown): void {
    const { count = 0, pauseUntil = 0 } = this.#failed ?? {};
    if (performance.now() < pauseUntil) return;
    const pause = count === 0 ? 0 : computePause(betweenFailures, count);
    this.#failed = { error, count: count + 1, pauseUntil: performance.now() + pause };
  }

  #expectNoPause(): void {
    if (this.#failed && performance.now() < this.#failed.pauseUntil) throw toUnavailable(this.#failed.error);
  }

  async #askNow(token: string): Promise<JWTPayload | undefined> {
    const signal = AbortSignal.timeout(PROVIDER_TIMEOUT_MS);
    const url = await this.#endpoint.get({ signal });
    const { form, headers = {} } = await this.#settings.prove();
    const fields = { token, token_type_hint: 'access_token', ...form };
    const { active, ...claims } = (await this.#settings.ask({ url, signal, form: fields, headers })).body;
    if (typeof active !== 'boolean') throw badAnswer('no_introspection_answer');
    // RFC 7662, 2.2: the issuer may omit its own name.
    return active ? { iss: this.#settings.issuer, ...claims } : undefined;
  }

  #keep(digest: string, claims: JWTPayload | undefined): void {
    const oldest = this.#answers.size >= MAX_ANSWERS ? this.#answers.keys().next().value : undefined;
    if (oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.delete(digest);
    this.#answers.set(digest, { claims, until: performance.now() + this.#settings.cacheSeconds * 1000 });
  }
}

const toUnavailable = (cause: unknown): Rejection => new Rejection('auth_provider_unavailable', { cause });

/** The number of parallel requests to the issuer, and of queued ones for each address. */
const MAX_ASKING = 32;
const MAX_WAITING = 256;

/** The queue of requests to an issuer. Addresses take turns, so no address queues behind all requests of another. */
export class QuestionQueue {
  #asking = 0;
  /** By address; the next one in turn is the first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * @throws Rejection `auth_provider_unavailable` at once if too many requests of the address are queued; the error of
   * `question`.
   */
  async run<T>(address: string, question: () => Promise<T>): Promise<T> {
    if (this.#asking < MAX_ASKING) this.#asking += 1;
    else await this.#wait(address);
    try {
      return await question();
    } finally {
      this.#passOn();
    }
  }

  #wait(address: string): Promise<void> {
    const line = this.#waiting.get(address) ?? [];
    if (line.length >= MAX_WAITING) {
      throw new Rejection('auth_provider_unavailable', { cause: badAnswer('introspection_busy') });
    }
    this.#waiting.set(address, line);
    return new Promise((resolve) => line.push(resolve));
  }

  /** Passes a free place to the next address, which then moves to the end of the order. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#asking -= 1;
      return;
    }
    const [address, line] = next;
    const start = line.shift();
    this.#waiting.delete(address);
    if (line.length > 0) this.#waiting.set(address, line);
    start?.();
  }
}
