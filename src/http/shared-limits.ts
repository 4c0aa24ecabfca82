import { z } from 'zod';
import type { Log } from '../ports/index.ts';
import {
  type Counted,
  type CreateRateLimiter,
  MemoryWindows,
  type Quota,
  type RateLimiter,
  type Taken,
} from './limits.ts';

/** Milliseconds. */
const times = {
  /** The maximum milliseconds that a request waits for the database. */
  answerTimeout: 100,
  /** The pause after a failure, unless a late answer arrives before. */
  pause: 5_000,
};
/** The part of a quota that a gateway takes at once. The unused part is lost until the window ends. */
const PORTION = 1 / 50;
/** Milliseconds between two deletions of expired windows. */
const CLEANING_INTERVAL = 300_000;

/** The clock of the database, in milliseconds since 1970: no gateway's clock decides when a window ends. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const counted = `points, (expire - ${NOW})::float8 AS ms_left`;

/**
 * Adds points to the window of a key. A window restarts if it has ended, or if it would last longer than its length,
 * e.g. after the database's clock went back. The clock is read once, after the wait for other gateways. `$3` is the
 * length of a window.
 */
const COUNT = `
  INSERT INTO puente_limits AS known (key, points, expire) VALUES ($1, $2::integer, ${NOW} + $3::bigint)
  ON CONFLICT (key) DO UPDATE SET (points, expire) = (
    SELECT CASE WHEN known.expire BETWEEN now AND now + $3 THEN known.points ELSE 0 END + $2,
           CASE WHEN known.expire BETWEEN now AND now + $3 THEN known.expire ELSE now + $3 END
    FROM (SELECT ${NOW} AS now) AS clock)
  RETURNING ${counted}`;
const LOOK = `SELECT ${counted} FROM puente_limits WHERE key = $1`;
const CLEAN = `DELETE FROM puente_limits WHERE expire < ${NOW}`;

const answerSchema = z.object({ rows: z.array(z.object({ points: z.number(), ms_left: z.number() })) });

/**
 * The form of `pg`. Without a name, so that it works behind a pooler that lends another connection to each transaction.
 */
export interface LimitsStatement {
  readonly text: string;
  readonly values: unknown[];
}

/** A pool of `pg`, as far as it is used here. */
export interface LimitsPool {
  query(statement: LimitsStatement): Promise<unknown>;
  end(): Promise<void>;
}

/** The rate limiters of one gateway, which count in this process or in a database that all gateways share. */
export interface RateLimiters {
  readonly create: CreateRateLimiter;
  close(): Promise<void>;
}

/**
 * Rate limiters whose counts all gateways of one database share. While it fails or is slow, each gateway counts for itself.
 * @param computeDigest the stored form of a key, which may be an address.
 */
export function createSharedRateLimiters(
  pool: LimitsPool,
  computeDigest: (key: string) => string,
  log: Log,
  { answerTimeout, pause } = times,
): RateLimiters {
  const client = new PausingClient(pool, log, answerTimeout, pause);
  const timer = setInterval(
    () => void pool.query({ text: CLEAN, values: [] }).catch(() => undefined),
    CLEANING_INTERVAL,
  ).unref();
  return {
    create: (name, quota) =>
      new SharedRateLimiter(quota, new SharedWindows(client, quota, (key) => `${name}:${computeDigest(key)}`)),
    close: () => {
      clearInterval(timer);
      return pool.end();
    },
  };
}

/** Counts in the database, and in this process while the database fails. */
class SharedWindows {
  readonly #client: PausingClient;
  readonly #length: number;
  readonly #toStoredKey: (key: string) => string;
  readonly #own: MemoryWindows;

  constructor(client: PausingClient, quota: Quota, toStoredKey: (key: string) => string) {
    this.#client = client;
    this.#length = quota.seconds * 1_000;
    this.#toStoredKey = toStoredKey;
    this.#own = new MemoryWindows(quota);
  }

  async add(key: string, points: number): Promise<Counted> {
    const row = await this.#ask(COUNT, [this.#toStoredKey(key), points, this.#length]);
    if (row === 'unavailable' || !row) return this.#own.add(key, points);
    return { points: row.points, msLeft: Math.min(Math.max(0, row.ms_left), this.#length) };
  }

  async get(key: string): Promise<Counted | undefined> {
    const row = await this.#ask(LOOK, [this.#toStoredKey(key)]);
    if (row === 'unavailable') return this.#own.get(key);
    const isOver = !row || row.ms_left <= 0 || row.ms_left > this.#length;
    return isOver ? undefined : { points: row.points, msLeft: row.ms_left };
  }

  async #ask(text: string, values: unknown[]) {
    const answer = await this.#client.query({ text, values }).catch(() => 'unavailable' as const);
    return answer === 'unavailable' ? answer : answerSchema.parse(answer).rows[0];
  }
}

/** Queries the pool. After a late answer, rejects queries at once during a pause. */
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
    if (performance.now() < this.#pausedUntil) throw new Error('the database is paused after a failure');
    try {
      // Its library names the statements, but a pooler of connections forgets names.
      const { text, values } = statement;
      const answer = this.#pool.query({ text, values }).then((result) => this.#succeed(result));
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

/** The requests that a gateway may admit without a query, until `until` of `performance.now`. */
interface Credit {
  left: number;
  readonly until: number;
  /** True if all gateways together have used up the quota. */
  readonly exhausted: boolean;
  /** True if this gateway has refused a request in this window. */
  hasRefused: boolean;
}

/** Takes portions of the shared quota, so that few requests query the database. */
class SharedRateLimiter implements RateLimiter {
  readonly quota: Quota;
  readonly #windows: SharedWindows;
  readonly #portion: number;
  /** By key, in the order of the start of their windows. */
  readonly #credits = new Map<string, Credit>();
  readonly #asking = new Set<string>();

  constructor(quota: Quota, windows: SharedWindows) {
    this.quota = quota;
    this.#windows = windows;
    this.#portion = Math.max(1, Math.floor(quota.requests * PORTION));
  }

  async take(key: string): Promise<Taken> {
    const credit = this.#findCredit(key);
    if (credit && credit.left > 0) {
      credit.left -= 1;
      return toTaken(true, credit);
    }
    if (credit?.exhausted) return refuse(credit);
    if (this.#asking.has(key)) return this.#ask(key, 1);
    this.#asking.add(key);
    return this.#ask(key, this.#portion).finally(() => this.#asking.delete(key));
  }

  async look(key: string): Promise<Taken> {
    const credit = this.#findCredit(key);
    if (credit && (credit.left > 0 || credit.exhausted)) return toTaken(credit.left > 0, credit);
    const known = (await this.#windows.get(key)) ?? { points: 0, msLeft: 0 };
    const left = Math.max(0, this.quota.requests - known.points);
    return toTaken(left > 0, toCredit(left, known, false));
  }

  /** Counts the portions of other gateways as used. */
  async countLeft(key: string): Promise<number> {
    const { requests } = this.quota;
    const { points = 0 } = (await this.#windows.get(key)) ?? {};
    const own = this.#findCredit(key)?.left ?? 0;
    return Math.min(requests, Math.max(0, requests - points) + own);
  }

  refund(key: string): void {
    const credit = this.#findCredit(key);
    if (credit) credit.left += 1;
  }

  async #ask(key: string, points: number): Promise<Taken> {
    const result = await this.#windows.add(key, points);
    const before = result.points - points;
    const granted = Math.min(points, Math.max(0, this.quota.requests - before));
    const { left = 0, hasRefused } = this.#findCredit(key) ?? {};
    const credit = toCredit(Math.max(0, granted - 1) + left, result, granted < points, hasRefused);
    this.#credits.delete(key);
    this.#credits.set(key, credit);
    return granted > 0 ? toTaken(true, credit) : refuse(credit);
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

const toCredit = (left: number, { msLeft }: Counted, exhausted: boolean, hasRefused = false): Credit => ({
  left,
  until: performance.now() + msLeft,
  exhausted,
  hasRefused,
});

/** The first refusal in a window is not a repeated one. */
function refuse(credit: Credit): Taken {
  const repeated = credit.hasRefused;
  credit.hasRefused = true;
  return { ...toTaken(false, credit), repeated };
}

const toTaken = (allowed: boolean, { left, until }: Credit): Taken => ({
  allowed,
  remaining: left,
  msLeft: until - performance.now(),
  repeated: false,
});
