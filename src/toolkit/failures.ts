import { type Call, Failure } from '../ports/index.ts';
import { getField, isRecord } from './records.ts';

/** @throws Failure timeout when the deadline has passed or the caller has disconnected. */
export function throwIfAborted({ signal }: Pick<Call, 'signal'>): void {
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
export function refuseEndedCalls<P extends object>(port: P): P;
export function refuseEndedCalls(port: object): object {
  const refuse =
    (method: (...given: readonly unknown[]) => unknown) =>
    async (...given: readonly unknown[]) => {
      const signal = getField(given.at(-1), 'signal');
      if (signal instanceof AbortSignal) throwIfAborted({ signal });
      return Reflect.apply(method, port, given);
    };
  return Object.fromEntries(listMethods(port).map(([name, method]) => [name, refuse(method)]));
}

/** The methods of an object, or of an instance of a class. */
function listMethods(port: object): [string, (...given: readonly unknown[]) => unknown][] {
  const prototype: unknown = Object.getPrototypeOf(port);
  const owners = prototype === Object.prototype || !isRecord(prototype) ? [port] : [port, prototype];
  const names = owners.flatMap((owner) => Object.getOwnPropertyNames(owner)).filter((name) => name !== 'constructor');
  return names.flatMap((name) => {
    const method = getField(port, name);
    return isFunction(method) ? [[name, method]] : [];
  });
}

const isFunction = (value: unknown): value is (...given: readonly unknown[]) => unknown => typeof value === 'function';

/** An error may lead back to itself, or make a new cause whenever it is asked for one. */
const MAX_CAUSES = 20;

/** What was thrown, its cause, the cause of that, and so on: each once, at most 20. A cause need not be an Error. */
export function listCauses(error: unknown): readonly object[] {
  const causes = new Set<object>();
  let next = error;
  while (typeof next === 'object' && next !== null && causes.size < MAX_CAUSES && !causes.has(next)) {
    causes.add(next);
    next = getField(next, 'cause');
  }
  return [...causes];
}

/** The form of a code, e.g. `ECONNREFUSED`, `HTTP_401` or `no_birth_date`; text about a person does not match. */
const codePattern = /^(?:[A-Z][A-Z0-9_]{1,40}|[a-z]+(?:_[a-z]+)+)$/;

/** The code of the innermost cause that has one, never a message. A cause need not be an Error. */
export function findCauseCode(error: unknown): string | undefined {
  const codes = listCauses(error).map((each) => getField(each, 'code'));
  return codes.findLast((code): code is string => typeof code === 'string' && codePattern.test(code));
}

/** Words as `words.ts` of an adapter leaves them: nothing longer, and no sign that a value would have. */
const saidPattern = /^[A-Za-z0-9_:.,…() -]{1,240}$/;

/** What the innermost cause that says something has in `said`. */
export function findSaid(error: unknown): string | undefined {
  const all = listCauses(error).map((each) => getField(each, 'said'));
  return all.findLast((said): said is string => typeof said === 'string' && saidPattern.test(said));
}

/** The `code` of an error of Node or of a driver; empty when it has none. */
export function getErrorCode(error: unknown): string {
  const code = getField(error, 'code');
  return typeof code === 'string' ? code : '';
}

/** A line of a stack that names a file, which Node's own modules have none of. */
const framePattern = /^ +at .*?((?:[\w.@%-]+\/)*[\w.@%-]+\.[cm]?[jt]s:\d+:\d+)\)?$/gm;

/**
 * The places where an error was made, innermost first, e.g. `src/api/perform.ts:38:20`, `pg/lib/client.js:132:10` for a
 * package, or `his/index.mjs:12:3`. Leaves out the message, which may contain patient data.
 */
export const listFrames = (error: unknown): string[] =>
  error instanceof Error
    ? [...(error.stack ?? '').replace(error.message, '').matchAll(framePattern)].map(([, file = '']) => shorten(file))
    : [];

/** A file of a package without the folders above it, one of ours from the root of the project on, another with its folder. */
const shorten = (file: string): string =>
  /.*\bnode_modules\/(.*)/.exec(file)?.[1] ??
  /.*\b((?:src|adapters)\/.*)/.exec(file)?.[1] ??
  file.split('/').slice(-2).join('/');

/** For `catch`, where a failure changes nothing. @throws what is none: that is a bug. */
export function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}
