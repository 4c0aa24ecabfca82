import type { JWTPayload } from 'jose';
import { Rejection } from '../api/index.ts';
import { badAnswer } from '../http-client/failures.ts';
import type { ClientProof } from '../http-client/oauth.ts';
import { type Backoff, computePause } from '../toolkit/backoff.ts';
import { Cached } from '../toolkit/cached.ts';
import { type AskProvider, discover, PROVIDER_TIMEOUT_MS } from './remote-keys.ts';

/** How the issuer is asked about tokens (RFC 7662). */
export interface IntrospectionSettings {
  readonly issuer: string;
  /** Absent: where the issuer's discovery document says. */
  readonly endpoint?: URL | undefined;
  /** About which tokens. */
  readonly tokens: 'all' | 'opaque' | 'jwt';
  /** Seconds for which an answer is used. */
  readonly cacheSeconds: number;
  readonly prove: ClientProof;
  readonly ask: AskProvider;
}

/** The address that a token comes from, and the count of those from there that fail. */
export interface TokenOrigin {
  findAddress(): string;
  /** @throws Rejection `rate_limited` when so many of its tokens have failed that its issuer is asked about no more. */
  requireAttempt(): Promise<void>;
  /** Counts a token that could not be checked as one that failed. */
  countFailure(): Promise<void>;
}

/** Milliseconds for which the address from the discovery document is used, and how much longer while it cannot be read. */
const DISCOVERY_TTL_MS = 600_000;
const DISCOVERY_STALE_MS = 6 * 3_600_000;
/** How many answers are kept. */
const MAX_ANSWERS = 10_000;
/** Milliseconds without a question after two that failed in a row, twice as many after each further one. */
const betweenFailures: Backoff = { first: 500, longest: 10_000 };

interface IntrospectionAnswer {
  readonly claims: JWTPayload | undefined;
  /** By `performance.now()`. */
  readonly until: number;
}

/**
 * Asks the issuer whether tokens are still active. Tokens are known by their hash; the answers are kept for seconds, and
 * all who ask about a token at the same time get the same one.
 */
export class Introspection {
  readonly #settings: IntrospectionSettings;
  readonly #endpoint: Cached<URL>;
  readonly #answers = new Map<string, IntrospectionAnswer>();
  readonly #asking = new Map<string, Promise<JWTPayload | undefined>>();
  /** Tokens that the issuer is known to have issued never wait behind those that anybody can invent. */
  readonly #issued = new QuestionQueue();
  readonly #strange = new QuestionQueue();
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

  /** What the last question failed with; undefined after one that was answered. */
  get failure(): unknown {
    return this.#failed?.error;
  }

  isFor(kind: 'opaque' | 'jwt'): boolean {
    return this.#settings.tokens === 'all' || this.#settings.tokens === kind;
  }

  /**
   * What the issuer says of the token; undefined when it is not active.
   * @param digest the token's hash.
   * @param source where it comes from, unless its signature says that the issuer has issued it.
   * @throws Rejection `auth_provider_unavailable`, at once for a moment after it failed; `rate_limited` as the source does.
   */
  async introspect(token: string, digest: string, source?: TokenOrigin): Promise<JWTPayload | undefined> {
    const kept = this.#answers.get(digest);
    if (kept && performance.now() < kept.until) return kept.claims;
    const asking = this.#asking.get(digest);
    if (asking) return asking;
    // One that was active the last time was issued too.
    const stranger = kept?.claims ? undefined : source;
    const question = this.#ask(token, stranger).finally(() => this.#asking.delete(digest));
    this.#asking.set(digest, question);
    const claims = await question;
    this.#keep(digest, claims);
    return claims;
  }

  /** Asks about an invented token, unless the last answer is younger than five seconds. `failure` has what came of it. */
  async look(): Promise<void> {
    if (performance.now() < this.#lastAnswer + 5_000) return;
    await this.#ask('puente').catch(() => undefined);
  }

  async #ask(token: string, stranger?: TokenOrigin): Promise<JWTPayload | undefined> {
    if (!stranger) return this.#issued.run('', () => this.#askOnce(token));
    try {
      return await this.#strange.run(stranger.findAddress(), async () => {
        await stranger.requireAttempt();
        return this.#askOnce(token);
      });
    } catch (error) {
      if (error instanceof Rejection && error.code === 'auth_provider_unavailable') await stranger.countFailure();
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

  /** Those that were asked at the same time fail at the same time, which counts once. */
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
    // RFC 7662, 2.2: the issuer may leave its own name out.
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

/** How many questions are asked at the same time, and how many more of one address wait for one of them to be answered. */
const MAX_ASKING = 32;
const MAX_WAITING = 256;

/** The questions to an issuer. Those that wait are asked in turns of their addresses, so that none waits behind all of another. */
export class QuestionQueue {
  #asking = 0;
  /** By address, the one whose turn is next first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** @throws Rejection `auth_provider_unavailable`, at once, when too many of the address wait; and what `question` throws. */
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

  /** The place of a question that is answered goes to the next one; then its address comes after all others. */
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
