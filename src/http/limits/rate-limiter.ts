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
  /** Whether another one was refused before in this window. */
  readonly repeated: boolean;
}

/** Counts per key. */
export interface RateLimiter {
  readonly quota: Quota;
  take(key: string): Promise<Taken>;
  /** Whether one more would be taken, without taking it. */
  look(key: string): Promise<Taken>;
  /** Lets one more in, if the window of the one that was taken is not over. */
  giveBack(key: string): void;
}

/** @param name of what is counted, other than those of all other rate limiters. */
export type CreateRateLimiter = (name: string, quota: Quota) => RateLimiter;

/** Counts in this process. A window begins with the first request of its key. */
export const createMemoryRateLimiter: CreateRateLimiter = (_name, quota) => {
  const limiter = new RateLimiterMemory({ points: quota.requests, duration: quota.seconds });
  const toTaken = (allowed: boolean, { remainingPoints, consumedPoints, msBeforeNext }: RateLimiterRes): Taken => ({
    allowed,
    remaining: remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
    repeated: consumedPoints > quota.requests + 1,
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
    giveBack: (key) => void limiter.reward(key),
    look: async (key) => {
      const known = (await limiter.get(key)) ?? new RateLimiterRes(quota.requests);
      return toTaken(known.remainingPoints > 0, known);
    },
  };
};
