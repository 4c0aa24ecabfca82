import { Failure } from '../ports/index.ts';
import { type Backoff, computePause } from './backoff.ts';

interface Caller {
  readonly signal: AbortSignal;
  timeLeft?(): number;
}

export interface CacheOptions<T> {
  /** For how many milliseconds a value is used. */
  readonly ttlMs: (value: T) => number;
  /** How many milliseconds one load may take, whoever asked for it. */
  readonly timeoutMs: number;
  /**
   * For how many milliseconds more a value is used while it cannot be loaded anew. Given, failures are remembered too:
   * after two in a row nothing is loaded for half a second, then for twice as long each time, at most ten seconds, and no
   * longer than half of the time for which the old value is still used; when that has ended, they begin anew.
   */
  readonly staleMs?: (value: T) => number;
  /** True if nobody waits for a new value as long as the old one is used. Default: half a second at most. */
  readonly inBackground?: boolean;
}

/** How many milliseconds callers wait for a load, when there is an old value or a failure that they can have at once. */
const MAX_WAIT_MS = 500;
const betweenFailures: Backoff = { first: 500, longest: 10_000 };

/**
 * One value for all who ask: loaded when it is first asked for, and again when it has become old. All get the same object:
 * `deepFreeze` it in the load, and give callers of a port copies, or what is frozen too.
 */
export class Cached<T, C extends Caller = Caller> {
  readonly #load: (caller: C) => Promise<T>;
  readonly #options: CacheOptions<T>;
  #value: { readonly value: T; readonly until: number } | undefined;
  #loading: { readonly value: Promise<T>; readonly since: number } | undefined;
  /** What the last load failed with, how many in a row did, how long the old value was used yet, and until when none is made. */
  #failed:
    | { readonly error: unknown; readonly count: number; readonly left: number; readonly pauseUntil: number }
    | undefined;

  /** @param load gets the caller who came first, but with a signal that no caller aborts. */
  constructor(load: (caller: C) => Promise<T>, options: CacheOptions<T>) {
    this.#load = load;
    this.#options = options;
  }

  /** True if there is a value that is older than it should be, because it could not be loaded anew. */
  get isStale(): boolean {
    return this.#failed !== undefined && this.#value !== undefined && performance.now() >= this.#value.until;
  }

  /**
   * The value. Whoever asks while it is loaded waits for the same load; one caller's abort does not cancel it. An old one
   * that is still used is given after half a second of waiting for a new one, and at once after failures.
   * @throws Failure timeout as soon as this caller's signal aborts, also when there is a value, else what the load throws.
   */
  async get(caller: C): Promise<T> {
    if (caller.signal.aborted) throw createTimeoutFailure();
    const kept = this.#value;
    const now = performance.now();
    if (kept && now < kept.until) return kept.value;
    const { staleMs = () => 0, inBackground } = this.#options;
    if (!kept || now >= kept.until + staleMs(kept.value)) return this.reload(caller);
    if (inBackground) {
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

  /** Loads anew, or waits for who does, and fails as `get` does; until then the others get the value that is there. */
  async reload(caller: C): Promise<T> {
    const failed = this.#failed;
    return this.#reload(
      caller,
      failed && this.#options.staleMs !== undefined ? () => Promise.reject(failed.error) : undefined,
    );
  }

  /** @param instead what a caller gets who need not wait for long. */
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

  #isPaused(): boolean {
    return this.#failed !== undefined && performance.now() < this.#failed.pauseUntil;
  }

  /** The load that goes on, begun now if there is none. */
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
    const { ttlMs, timeoutMs, staleMs = () => 0 } = this.#options;
    try {
      const value = await this.#load({ ...caller, ...startTimer(timeoutMs) });
      this.#value = { value, until: performance.now() + ttlMs(value) };
      this.#failed = undefined;
      return value;
    } catch (error) {
      const now = performance.now();
      const left = this.#value ? this.#value.until + staleMs(this.#value.value) - now : 0;
      // From the end of the old value on callers fail, so that pauses begin to grow anew; before, none may outlast it.
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

/** What a load has instead of its caller's deadline. */
function startTimer(milliseconds: number): Required<Caller> {
  const end = performance.now() + milliseconds;
  return { signal: AbortSignal.timeout(milliseconds), timeLeft: () => Math.max(0, end - performance.now()) };
}
