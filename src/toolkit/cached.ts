import { Failure } from '../ports/index.ts';
import { type Backoff, computePause } from './backoff.ts';

interface Caller {
  readonly signal: AbortSignal;
  timeLeft?(): number;
}

export interface CacheOptions<T> {
  /** Milliseconds for which a value is fresh. */
  readonly ttlMs: (value: T) => number;
  /** Milliseconds that one load may take, for any caller. */
  readonly timeoutMs: number;
  /**
   * Milliseconds for which a stale value is still used when a load fails. If present, failures pause further loads:
   * after two in a row for half a second, then for twice as long each time, up to ten seconds. A pause is at most half
   * of the remaining time of the stale value. When that time has ended, the pauses start again from the shortest.
   */
  readonly staleMs?: (value: T) => number;
  /** True if callers get the stale value at once while a load runs. Default: they wait half a second at most. */
  readonly inBackground?: boolean;
}

/** Milliseconds that callers wait for a load when a stale value or a failure is available. */
const MAX_WAIT_MS = 500;
const betweenFailures: Backoff = { first: 500, longest: 10_000 };

/**
 * Caches one value for all callers. It is loaded at the first use and again after it expires. All callers get the same object:
 * `deepFreeze` it in the load. Callers of a port get frozen objects or copies.
 */
export class Cached<T, C extends Caller = Caller> {
  readonly #load: (caller: C) => Promise<T>;
  readonly #options: CacheOptions<T>;
  #value: { readonly value: T; readonly until: number } | undefined;
  #loading: { readonly value: Promise<T>; readonly since: number } | undefined;
  /**
   * The error of the last load, the number of failures in a row, the remaining use of the stale value, and the end of
   * the pause.
   */
  #failed:
    | { readonly error: unknown; readonly count: number; readonly left: number; readonly pauseUntil: number }
    | undefined;

  /** @param load gets the first caller, with a signal that no caller aborts. */
  constructor(load: (caller: C) => Promise<T>, options: CacheOptions<T>) {
    this.#load = load;
    this.#options = options;
  }

  /** True if the value has expired and a load has failed. */
  get isStale(): boolean {
    return this.#failed !== undefined && this.#value !== undefined && performance.now() >= this.#value.until;
  }

  /** The value that a failed load would leave to callers. Undefined if there is none, or none any more. */
  get usable(): T | undefined {
    return this.#value && performance.now() < this.#computeEnd(this.#value) ? this.#value.value : undefined;
  }

  /**
   * Returns the value. Callers during a load share that load, and the abort of one caller does not cancel it. If there
   * is a stale value, a caller gets it after waiting half a second, and at once after failures.
   * @throws Failure timeout as soon as this caller's signal aborts, even if there is a value.
   * @throws the error of the load.
   */
  async get(caller: C): Promise<T> {
    if (caller.signal.aborted) throw createTimeoutFailure();
    const kept = this.#value;
    const now = performance.now();
    if (kept && now < kept.until) return kept.value;
    if (!kept || now >= this.#computeEnd(kept)) return this.reload(caller);
    if (this.#options.inBackground) {
      if (!this.#isPaused()) this.#startLoad(caller).value.catch(() => undefined);
      return kept.value;
    }
    try {
      return await this.#reload(caller, () => kept.value);
    } catch (error) {
      if (caller.signal.aborted) throw error;
      return kept.value;
    }
  }

  /** Loads anew, or joins the running load, and fails as `get` does. Other callers get the stale value until then. */
  async reload(caller: C): Promise<T> {
    const failed = this.#failed;
    return this.#reload(
      caller,
      failed && this.#options.staleMs !== undefined ? () => Promise.reject(failed.error) : undefined,
    );
  }

  /** @param instead the result for a caller that does not have to wait long. */
  async #reload(caller: C, instead?: () => T | Promise<T>): Promise<T> {
    const { signal } = caller;
    if (signal.aborted) throw createTimeoutFailure();
    if (instead && this.#isPaused()) return instead();
    const { value, since } = this.#startLoad(caller);
    const { promise: interrupted, resolve, reject } = Promise.withResolvers<T>();
    const abort = () => reject(createTimeoutFailure());
    signal.addEventListener('abort', abort, { once: true });
    const timer = instead && setTimeout(() => resolve(instead()), Math.max(0, since + MAX_WAIT_MS - performance.now()));
    try {
      return await Promise.race([value, interrupted]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** The end of the use of a stale value, by `performance.now()`. */
  #computeEnd({ value, until }: { readonly value: T; readonly until: number }): number {
    return until + (this.#options.staleMs?.(value) ?? 0);
  }

  #isPaused(): boolean {
    return this.#failed !== undefined && performance.now() < this.#failed.pauseUntil;
  }

  /** Returns the running load, or starts one. */
  #startLoad(caller: C) {
    this.#loading ??= {
      value: this.#loadAndKeep(caller).finally(() => {
        this.#loading = undefined;
      }),
      since: performance.now(),
    };
    return this.#loading;
  }

  async #loadAndKeep(caller: C): Promise<T> {
    const { ttlMs, timeoutMs } = this.#options;
    try {
      const value = await this.#load({ ...caller, ...startTimer(timeoutMs) });
      this.#value = { value, until: performance.now() + ttlMs(value) };
      this.#failed = undefined;
      return value;
    } catch (error) {
      const now = performance.now();
      const left = this.#value ? this.#computeEnd(this.#value) - now : 0;
      // Callers fail from the end of the stale value on, so the pauses start again from the shortest. Before that, no
      // pause may outlast the value.
      const hasJustEnded = left <= 0 && this.#failed !== undefined && this.#failed.left > 0;
      const count = hasJustEnded ? 2 : (this.#failed?.count ?? 0) + 1;
      const { first, longest } = betweenFailures;
      const most = left > 0 ? Math.min(Math.max(left / 2, first), longest) : longest;
      const pause = count === 1 ? 0 : computePause({ first, longest: most }, count - 1);
      this.#failed = { error, count, left, pauseUntil: now + pause };
      throw error;
    }
  }
}

const createTimeoutFailure = (): Failure =>
  new Failure('timeout', 'the backend did not answer in time', { cause: { code: 'ERR_CANCELED' } });

/** Replaces the caller's deadline for a load. */
function startTimer(milliseconds: number): Required<Caller> {
  const end = performance.now() + milliseconds;
  return { signal: AbortSignal.timeout(milliseconds), timeLeft: () => Math.max(0, end - performance.now()) };
}
