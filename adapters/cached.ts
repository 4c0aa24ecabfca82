import { createTimeoutFailure } from './http-client/failures.ts';

interface Caller {
  readonly signal: AbortSignal;
}

export interface CacheOptions<T> {
  /** For how many milliseconds a value is used. */
  readonly ttlMs: (value: T) => number;
  /** How many milliseconds one load may take, whoever asked for it. */
  readonly timeoutMs: number;
}

/** One value for all who ask: loaded when it is first asked for, and again when it has become old. */
export class Cached<T, C extends Caller = Caller> {
  readonly #load: (caller: C) => Promise<T>;
  readonly #options: CacheOptions<T>;
  #value: { readonly value: T; readonly until: number } | undefined;
  #loading: Promise<T> | undefined;

  /** @param load gets the caller who came first, but with a signal that no caller aborts. */
  constructor(load: (caller: C) => Promise<T>, options: CacheOptions<T>) {
    this.#load = load;
    this.#options = options;
  }

  /**
   * The value. Whoever asks while it is loaded waits for the same load; one caller's abort does not cancel it.
   * @throws Failure timeout as soon as this caller's signal aborts, else what the load throws.
   */
  async get(caller: C): Promise<T> {
    if (this.#value && performance.now() < this.#value.until) return this.#value.value;
    return this.reload(caller);
  }

  /** Loads anew, or waits for who does, and fails as `get` does; until then the others get the value that is there. */
  async reload(caller: C): Promise<T> {
    const { signal } = caller;
    if (signal.aborted) throw createTimeoutFailure();
    this.#loading ??= this.#loadAndKeep(caller).finally(() => {
      this.#loading = undefined;
    });
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(createTimeoutFailure());
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([this.#loading, aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Loads anew at the next call, if the value is stale. */
  drop(isStale: (value: T) => boolean): void {
    if (this.#value && isStale(this.#value.value)) this.#value = undefined;
  }

  async #loadAndKeep(caller: C): Promise<T> {
    const { ttlMs, timeoutMs } = this.#options;
    const value = await this.#load({ ...caller, signal: AbortSignal.timeout(timeoutMs) });
    this.#value = { value, until: performance.now() + ttlMs(value) };
    return value;
  }
}
