import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Log } from '../ports/index.ts';
import type { CreateRateLimiter, Quota, RateLimiter, Taken } from './limits.ts';

/** The table in which they count, as `RateLimiterPostgres` wants it; the migrations of the state create it. */
const TABLE = 'puente_limits';
/** Milliseconds. */
const times = {
  /** A request waits so long for the database at most, */
  answerTimeout: 100,
  /** and after a failure none asks it for so long, or until what was late is answered. */
  pause: 5_000,
};
/** Part of a quota that a gateway takes at once. What it does not use is lost to the others until the window ends. */
const PORTION = 1 / 50;

/** As `pg` takes it. */
export interface LimitsStatement {
  readonly text: string;
  readonly values: unknown[];
}

/** A pool of `pg`, as far as it is used here. */
export interface LimitsPool {
  query(statement: LimitsStatement): Promise<unknown>;
  end(): Promise<void>;
}

/** The rate limiters of one gateway, which count in the memory of this process or in what all gateways share. */
export interface RateLimiters {
  readonly create: CreateRateLimiter;
  close(): Promise<void>;
}

/**
 * Rate limiters whose counts all gateways of one database share. While it fails or is slow, each gateway counts for itself.
 * @param computeDigest what stands in the table for a key, which may be an address.
 */
export function createSharedRateLimiters(
  pool: LimitsPool,
  computeDigest: (key: string) => string,
  log: Log,
  { answerTimeout, pause } = times,
): RateLimiters {
  const storeClient = new PausingClient(pool, log, answerTimeout, pause);
  return {
    create: (name, quota) => {
      const { requests: points, seconds: duration } = quota;
      const limiter = new RateLimiterPostgres({
        storeClient,
        storeType: 'client',
        tableName: TABLE,
        tableCreated: true,
        keyPrefix: name,
        points,
        duration,
        insuranceLimiter: new RateLimiterMemory({ points, duration }),
      });
      return new SharedRateLimiter(limiter, quota, computeDigest);
    },
    close: () => pool.end(),
  };
}

/** Asks the pool, and while it does not answer in time refuses at once. */
class PausingClient {
  readonly #pool: LimitsPool;
  readonly #log: Log;
  readonly #answerTimeout: number;
  readonly #pause: number;
  #failing = false;
  #pausedUntil = 0;

  constructor(pool: LimitsPool, log: Log, answerTimeout: number, pause: number) {
    this.#pool = pool;
    this.#log = log;
    this.#answerTimeout = answerTimeout;
    this.#pause = pause;
  }

  async query(statement: LimitsStatement): Promise<unknown> {
    if (performance.now() < this.#pausedUntil) throw new Error('the database is not asked now');
    try {
      const answer = this.#pool.query(statement).then((result) => this.#succeed(result));
      return await answerInTime(answer, this.#answerTimeout);
    } catch (error) {
      const { code = 'timeout' } = error as { readonly code?: string };
      this.#pausedUntil = performance.now() + this.#pause;
      if (!this.#failing) this.#log.write('warn', 'limits not shared', { code });
      this.#failing = true;
      throw error;
    }
  }

  #succeed<T>(result: T): T {
    this.#pausedUntil = 0;
    if (this.#failing) this.#log.write('info', 'limits shared again');
    this.#failing = false;
    return result;
  }
}

function answerInTime<T>(answer: Promise<T>, timeout: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('timeout')), timeout);
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
}

/** What a gateway may still let in without asking, until `until` of `performance.now`. */
interface Credit {
  left: number;
  readonly until: number;
  /** Whether all gateways together have used up the quota. */
  readonly exhausted: boolean;
}

/** Takes portions of what is shared, so that few requests ask the database. */
class SharedRateLimiter implements RateLimiter {
  readonly quota: Quota;
  readonly #limiter: RateLimiterPostgres;
  readonly #computeDigest: (key: string) => string;
  readonly #portion: number;
  /** By key; those whose window began last come last. */
  readonly #credits = new Map<string, Credit>();
  readonly #asking = new Set<string>();

  constructor(limiter: RateLimiterPostgres, quota: Quota, computeDigest: (key: string) => string) {
    this.quota = quota;
    this.#limiter = limiter;
    this.#computeDigest = computeDigest;
    this.#portion = Math.max(1, Math.floor(quota.requests * PORTION));
  }

  async take(key: string): Promise<Taken> {
    const credit = this.#findCredit(key);
    if (credit && credit.left > 0) {
      credit.left -= 1;
      return toTaken(true, credit);
    }
    if (credit?.exhausted) return { ...toTaken(false, credit), repeated: true };
    if (this.#asking.has(key)) return this.#ask(key, 1);
    this.#asking.add(key);
    return this.#ask(key, this.#portion).finally(() => this.#asking.delete(key));
  }

  async look(key: string): Promise<Taken> {
    const credit = this.#findCredit(key);
    if (credit && (credit.left > 0 || credit.exhausted)) return toTaken(credit.left > 0, credit);
    const known = (await this.#limiter.get(this.#computeDigest(key))) ?? new RateLimiterRes(this.quota.requests);
    return toTaken(known.remainingPoints > 0, toCredit(known.remainingPoints, known, false));
  }

  giveBack(key: string): void {
    const credit = this.#findCredit(key);
    if (credit) credit.left += 1;
  }

  async #ask(key: string, points: number): Promise<Taken> {
    const result = await this.#limiter.consume(this.#computeDigest(key), points).catch((refused: unknown) => {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return refused;
    });
    const before = result.consumedPoints - points;
    const granted = Math.min(points, Math.max(0, this.quota.requests - before));
    const unused = Math.max(0, granted - 1) + (this.#findCredit(key)?.left ?? 0);
    const credit = toCredit(unused, result, granted < points);
    this.#credits.delete(key);
    this.#credits.set(key, credit);
    return toTaken(granted > 0, credit);
  }

  #findCredit(key: string): Credit | undefined {
    const now = performance.now();
    for (const [old, { until }] of this.#credits) {
      if (until > now) break;
      this.#credits.delete(old);
    }
    const credit = this.#credits.get(key);
    return credit && credit.until > now ? credit : undefined;
  }
}

const toCredit = (left: number, { msBeforeNext }: RateLimiterRes, exhausted: boolean): Credit => ({
  left,
  until: performance.now() + msBeforeNext,
  exhausted,
});

const toTaken = (allowed: boolean, { left, until }: Credit): Taken => ({
  allowed,
  remaining: left,
  resetSeconds: Math.max(1, Math.ceil((until - performance.now()) / 1_000)),
  repeated: false,
});
