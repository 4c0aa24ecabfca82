import { createTimeoutFailure } from './failures.ts';

/** Work that many may ask for at once and that is done once: whoever comes while it runs gets its result. */
export class SingleFlight<T> {
  #running: Promise<T> | undefined;

  /**
   * The result of the work, of which nobody’s signal deprives the others.
   * @throws Failure timeout as soon as this caller’s signal aborts, else what the work throws.
   */
  async run(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (signal.aborted) throw createTimeoutFailure();
    this.#running ??= work().finally(() => {
      this.#running = undefined;
    });
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(createTimeoutFailure());
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([this.#running, aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}
