import { type Call, Failure } from '../ports/index.ts';
import { getField, isRecord } from './records.ts';

/** @throws Failure timeout when the deadline has passed or the caller has disconnected. */
export function throwIfAborted({ signal }: Pick<Call, 'signal'>): void {
  if (signal.aborted)
    throw new Failure('timeout', 'the deadline passed before the work began', { cause: signal.reason });
}

/**
 * Returns the result of the work, or fails with a Failure timeout as soon as the signal aborts. The work then continues
 * unobserved.
 */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new Failure('timeout', 'the deadline passed', { cause: { code: 'ERR_CANCELED' } }));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}

/**
 * Wraps a port: its methods fail at once if their call has already ended. The last argument of each method is the call.
 */
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

/** A cause may refer to itself, or its getter may create a new cause each time. */
const MAX_CAUSES = 20;

/** The error and its chain of causes, without duplicates, at most 20. A cause need not be an Error. */
export function listCauses(error: unknown): readonly object[] {
  const causes = new Set<object>();
  let next = error;
  while (typeof next === 'object' && next !== null && causes.size < MAX_CAUSES && !causes.has(next)) {
    causes.add(next);
    next = getField(next, 'cause');
  }
  return [...causes];
}

/** Matches codes, e.g. `ECONNREFUSED`, `HTTP_401` or `no_birth_date`. Text about a person does not match. */
const codePattern = /^(?:[A-Z][A-Z0-9_]{1,60}|[a-z]+(?:_[a-z]+)+)$/;

/** The code of the innermost cause that has one, never a message. A cause need not be an Error. */
export function findCauseCode(error: unknown): string | undefined {
  const codes = listCauses(error).map((each) => getField(each, 'code'));
  return codes.findLast((code): code is string => typeof code === 'string' && codePattern.test(code));
}

/** Matches the output of `words.ts` of an adapter: a limited length, and no character that only values have. */
const saidPattern = /^[A-Za-z0-9_:.,…() -]{1,240}$/;

/** The `said` of the innermost cause that has one. */
export function findSaid(error: unknown): string | undefined {
  const all = listCauses(error).map((each) => getField(each, 'said'));
  return all.findLast((said): said is string => typeof said === 'string' && saidPattern.test(said));
}

/** The `code` of an error of Node or of a driver. Empty if it has none. */
export function getErrorCode(error: unknown): string {
  const code = getField(error, 'code');
  return typeof code === 'string' ? code : '';
}

/** Matches a line of a stack that names a file. Lines of Node's own modules do not match. */
const framePattern = /^ +at .*?((?:[\w.@%-]+\/)*[\w.@%-]+\.[cm]?[jt]s:\d+:\d+)\)?$/gm;

/**
 * The places where an error was created, innermost first, e.g. `src/api/perform.ts:38:20`, `pg/lib/client.js:132:10`
 * for a package, or `his/index.mjs:12:3`. They leave out the message, which may contain patient data.
 */
export const listFrames = (error: unknown): string[] =>
  error instanceof Error
    ? [...(error.stack ?? '').replace(error.message, '').matchAll(framePattern)].map(([, file = '']) => shorten(file))
    : [];

/** Shortens a path: files of a package start at the package, this project's at its root, and others at their folder. */
const shorten = (file: string): string =>
  /.*\bnode_modules\/(.*)/.exec(file)?.[1] ??
  /.*\b((?:src|adapters)\/.*)/.exec(file)?.[1] ??
  file.split('/').slice(-2).join('/');

/** For `catch`, where a failure has no consequence. @throws the error if it is not a Failure, because that is a bug. */
export function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}
