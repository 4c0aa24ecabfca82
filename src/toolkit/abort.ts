import { type Call, Failure } from '../ports/index.ts';

/** @throws Failure timeout when the deadline has passed or the caller has disconnected. */
export function throwIfAborted({ signal }: Call): void {
  if (signal.aborted)
    throw new Failure('timeout', 'the deadline passed before the work began', { cause: signal.reason });
}

/** The work, or a Failure timeout as soon as the signal aborts; the work goes on then, and nobody waits for it. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new Failure('timeout', 'the deadline passed', { cause: { code: 'ERR_CANCELED' } }));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}

/** A port whose methods fail at once when their call has ended before they begin; as a port has it, the last argument is the call. */
export function refuseEndedCalls<P extends object>(port: P): P {
  const refuse =
    (method: (...given: unknown[]) => unknown) =>
    async (...given: unknown[]) => {
      throwIfAborted(given.at(-1) as Call);
      return method(...given);
    };
  return Object.fromEntries(Object.entries(port).map(([name, method]) => [name, refuse(method)])) as P;
}
