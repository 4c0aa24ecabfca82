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

/** Counts per key. What several gateways share can take the place of the memory of one. */
export interface RateLimiter {
  readonly quota: Quota;
  take(key: string): Promise<Taken>;
}

export type CreateRateLimiter = (quota: Quota) => RateLimiter;

/** Counts in this process. A window begins with the first request of its key. */
export const createMemoryRateLimiter: CreateRateLimiter = (quota) => {
  const limiter = new RateLimiterMemory({ points: quota.requests, duration: quota.seconds });
  return {
    quota,
    take: async (key) => {
      const taken = await limiter.consume(key).then(
        (result) => ({ allowed: true, result }),
        (result: unknown) => {
          if (!(result instanceof RateLimiterRes)) throw result;
          return { allowed: false, result };
        },
      );
      const resetSeconds = Math.max(1, Math.ceil(taken.result.msBeforeNext / 1_000));
      return { allowed: taken.allowed, remaining: taken.result.remainingPoints, resetSeconds };
    },
  };
};
