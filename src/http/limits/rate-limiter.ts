import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** How many may come in a window of so many seconds. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

export interface Taken {
  readonly allowed: boolean;
  /** How many more may come in this window, and in how many whole seconds the next one begins. */
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Counts per key. */
export interface RateLimiter {
  readonly quota: Quota;
  take(key: string): Promise<Taken>;
  /** Whether one more would be taken, without taking it. */
  look(key: string): Promise<Taken>;
}

/** @param name of what is counted, other than those of all other rate limiters. */
export type CreateRateLimiter = (name: string, quota: Quota) => RateLimiter;

/** Counts in this process. A window begins with the first request of its key. */
export const createMemoryRateLimiter: CreateRateLimiter = (_name, quota) => {
  const limiter = new RateLimiterMemory({ points: quota.requests, duration: quota.seconds });
  const toTaken = (allowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): Taken => ({
    allowed,
    remaining: remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
  });
  return {
    quota,
    take: (key) =>
      limiter.consume(key).then(
        (result) => toTaken(true, result),
        (result: unknown) => {
          if (!(result instanceof RateLimiterRes)) throw result;
          return toTaken(false, result);
        },
      ),
    look: async (key) => {
      const known = (await limiter.get(key)) ?? new RateLimiterRes(quota.requests);
      return toTaken(known.remainingPoints > 0, known);
    },
  };
};
