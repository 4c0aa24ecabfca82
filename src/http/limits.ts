import { randomUUID } from 'node:crypto';
import { Rejection } from '../api/index.ts';
import { type OperationClass, operationClasses } from '../guard/guard.ts';

/** The limits of one client for operations of one class. */
export interface ClientQuota extends Quota {
  /** The maximum number of parallel requests. */
  readonly concurrent: number;
}

export type ClientQuotas = Readonly<Record<OperationClass, ClientQuota>>;

/** The running requests of one client, and whether others were refused for their number. */
interface Running {
  count: number;
  hasRefused: boolean;
}

/** Limits each client, so that a faulty one leaves resources to the others. */
export class ClientLimits {
  readonly #create: CreateRateLimiter;
  readonly #limiters = new Map<OperationClass, RateLimiter>();
  readonly #running = new Map<string, Running>();
  #quotas: ClientQuotas;
  /**
   * The suffix of the limiters' names: after a reset, no one, not even a shared database, has a count under the new
   * names.
   */
  #suffix = '';

  constructor(quotas: ClientQuotas, create: CreateRateLimiter = createMemoryRateLimiter) {
    this.#create = create;
    this.#quotas = quotas;
    this.setQuotas(quotas);
  }

  /** Sets new quotas. Windows with other quotas restart, and running requests still count. */
  setQuotas(quotas: ClientQuotas): void {
    for (const name of operationClasses) {
      const { requests, seconds } = quotas[name];
      const known = this.#limiters.get(name)?.quota;
      if (known?.requests !== requests || known.seconds !== seconds)
        this.#limiters.set(name, this.#create(name + this.#suffix, quotas[name]));
    }
    this.#quotas = quotas;
  }

  /** The number of requests of each class that the client may still send in its window. */
  async listRemaining(
    client: string,
  ): Promise<readonly { name: OperationClass; remaining: number; requests: number }[]> {
    return Promise.all(
      [...this.#limiters].map(async ([name, limiter]) => {
        const { requests } = limiter.quota;
        return { name, remaining: await limiter.countLeft(client), requests };
      }),
    );
  }

  /** Restarts every window, including those that a database shares. Requests in flight still count as concurrent. */
  reset(): void {
    this.#suffix = ` ${randomUUID()}`;
    this.#limiters.clear();
    this.setQuotas(this.#quotas);
  }

  /**
   * Admits a request of the client until the returned function is called with whether the request was served. A request
   * that was not served does not count for the quota.
   * @throws Rejection `rate_limited`.
   */
  async enter(client: string, name: OperationClass): Promise<(isServed: boolean) => void> {
    const key = `${name} ${client}`;
    const running = this.#running.get(key) ?? { count: 0, hasRefused: false };
    if (running.count >= this.#quotas[name].concurrent) {
      const repeated = running.hasRefused;
      running.hasRefused = true;
      throw new Rejection('rate_limited', { happened: tooManyAtOnce, cause: atOnce, retryAfter: 1, repeated });
    }
    running.count += 1;
    this.#running.set(key, running);
    const decrement = () => {
      running.count -= 1;
      if (running.count === 0) this.#running.delete(key);
    };
    const limiter = this.#limiters.get(name)!;
    try {
      requireAllowed(await limiter.take(client), limiter.quota, name);
    } catch (error) {
      decrement();
      throw error;
    }
    return (isServed) => {
      decrement();
      if (!isServed) limiter.refund(client);
    };
  }
}

const tooManyAtOnce = 'Too many requests of this client are in progress.';
const atOnce = { code: 'too_many_at_once' };

/**
 * @param reason the reason for counting, for the log.
 * @throws Rejection `rate_limited`, with the fields of draft-ietf-httpapi-ratelimit-headers-08.
 */
export function requireAllowed(
  { allowed, remaining, msLeft, repeated }: Taken,
  { requests, seconds }: Quota,
  policy: string,
  reason?: string,
): void {
  if (allowed) return;
  const resetSeconds = Math.max(1, Math.ceil(msLeft / 1_000));
  const headers = {
    'RateLimit-Policy': `"${policy}";q=${requests};w=${seconds}`,
    RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
  };
  throw new Rejection('rate_limited', { retryAfter: resetSeconds, headers, repeated }, reason);
}

/** The number of requests in a window of seconds. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

export interface Taken {
  readonly allowed: boolean;
  /** The remaining requests in this window, and milliseconds until the next window. */
  readonly remaining: number;
  readonly msLeft: number;
  /** True if an earlier request was refused in this window. */
  readonly repeated: boolean;
}

/** Counts by key. */
export interface RateLimiter {
  readonly quota: Quota;
  take(key: string): Promise<Taken>;
  /** Returns whether another request would be admitted, without counting it. */
  look(key: string): Promise<Taken>;
  /** Returns the remaining requests of the whole quota. */
  countLeft(key: string): Promise<number>;
  /** Returns a counted request, unless its window has ended. */
  refund(key: string): void;
}

/** @param name identifies what is counted. It must differ between rate limiters. */
export type CreateRateLimiter = (name: string, quota: Quota) => RateLimiter;

/** The count of a key, and the milliseconds until its window ends. */
export interface Counted {
  readonly points: number;
  readonly msLeft: number;
}

interface Window {
  points: number;
  /** By `performance.now`, so that a change of the machine's clock does not prolong a window. */
  readonly until: number;
}

/** Counts by key in this process. A window begins with the first request of its key. */
export class MemoryWindows {
  /** In the order of their start, and therefore of their end. */
  readonly #windows = new Map<string, Window>();
  readonly #length: number;

  constructor({ seconds }: Pick<Quota, 'seconds'>) {
    this.#length = seconds * 1_000;
  }

  /** Adds points, which may be negative, to the key's window, or to a new one. */
  add(key: string, points: number): Counted {
    const now = performance.now();
    const window = this.#find(key, now) ?? { points: 0, until: now + this.#length };
    window.points += points;
    this.#windows.set(key, window);
    return toCounted(window, now);
  }

  get(key: string): Counted | undefined {
    const now = performance.now();
    const window = this.#find(key, now);
    return window && toCounted(window, now);
  }

  #find(key: string, now: number): Window | undefined {
    for (const [old, { until }] of this.#windows) {
      if (until > now) break;
      this.#windows.delete(old);
    }
    return this.#windows.get(key);
  }
}

const toCounted = ({ points, until }: Window, now: number): Counted => ({ points, msLeft: until - now });

/** Counts in this process. */
export const createMemoryRateLimiter: CreateRateLimiter = (_name, quota) => {
  const windows = new MemoryWindows(quota);
  const toTaken = (allowed: boolean, { points, msLeft }: Counted): Taken => ({
    allowed,
    remaining: Math.max(0, quota.requests - points),
    msLeft,
    repeated: points > quota.requests + 1,
  });
  const look = async (key: string): Promise<Taken> => {
    const counted = windows.get(key) ?? { points: 0, msLeft: 0 };
    return toTaken(counted.points < quota.requests, counted);
  };
  return {
    quota,
    take: async (key) => {
      const counted = windows.add(key, 1);
      return toTaken(counted.points <= quota.requests, counted);
    },
    refund: (key) => {
      if (windows.get(key)) windows.add(key, -1);
    },
    look,
    countLeft: async (key) => (await look(key)).remaining,
  };
};
