import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure, writes } from '../ports/index.ts';
import { packageRoot } from '../toolkit/package.ts';
import { getField } from '../toolkit/records.ts';

/** Messages of the runtime that contain only code. Other messages may contain a patient's data. */
const ofTheLanguage =
  /^(?:Cannot (?:read|set) properties of \w+(?: \((?:reading|setting) '[^']*'\))?|[\w$.()[\]? ]+ is not (?:a function|defined|iterable|a constructor).*|Invalid (?:time value|URL))$/;

/** The maximum number of distinct errors that a case reports. */
const MAX_TOLD = 3;

/** The errors of an adapter while a case ran, for its author. */
export class Thrown {
  readonly #bugs = new Map<string, unknown>();
  #failure: Failure | undefined;

  /** The adapter's note on each value that a write refused as unsupported. */
  readonly refusals: string[] = [];

  /** Records an error of a port, or a reason why its response does not fit. Ignores a Failure that is an answer. */
  add(error: unknown, method?: string): void {
    const isRefusal = error instanceof Failure && error.kind === 'unsupported' && error.code === undefined;
    if (isRefusal && writes.some((write) => write === method)) this.refusals.push(error.message);
    if (!(error instanceof Failure)) this.#bugs.set(explainThrown(error), error);
    else if (!['invalid', 'not_found', 'conflict', 'unsupported'].includes(error.kind)) this.#failure = error;
  }

  /** The errors with their explanations: the bugs, or the last Failure if there are none. */
  list(): (readonly [string, unknown])[] {
    if (this.#bugs.size > 0 || !this.#failure) return [...this.#bugs].slice(0, MAX_TOLD);
    return [[explainThrown(this.#failure), this.#failure]];
  }
}

/**
 * Explains an error of an adapter: its kind, its message if that cannot contain a value, and the first line of code
 * outside Puente.
 */
export function explainThrown(error: unknown): string {
  const issues = getField(error, 'issues');
  const [issue] = Array.isArray(issues) ? (issues as { path: PropertyKey[]; message: string }[]) : [];
  const frame = findFrame(error);
  const where = frame === undefined ? '' : ` at ${frame}`;
  if (issue && !frame)
    return `a response of the adapter has a wrong value at ${issue.path.join('/')}: ${issue.message}`;
  if (issue) return `the adapter threw ${getName(error)}, ${issue.path.join('/')}: ${issue.message}${where}`;
  if (error instanceof Failure) {
    const underneath: unknown = getField(error.cause, 'code');
    const details = [error.at, isCode(underneath) && underneath].filter(Boolean).join(', ');
    const what = `${error.code ?? error.kind}${details && ` (${details})`}`;
    return `the adapter failed with ${what}: ${error.message}${where}`;
  }
  const [message, code] = [getField(error, 'message'), getField(error, 'code')];
  const said = [message, code].find((each) => isCode(each) || ofTheLanguage.test(String(each)));
  return `the adapter threw ${getName(error)}${said === undefined ? '' : `: ${said}`}${where}`;
}

const isCode = (text: unknown): boolean => typeof text === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(text);

const getName = (error: unknown): string => String(getField(error, 'name') ?? typeof error);

/** File, line and column of the first stack line outside Puente and outside packages. */
function findFrame(error: unknown): string | undefined {
  const stack = String(getField(error, 'stack'));
  for (const [, place = '', position] of stack.matchAll(
    /^ +at .*?((?:file:\/\/|[A-Z]:\\|\/)[^()\n]*?):(\d+:\d+)\)?$/gm,
  )) {
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    const own = relative(packageRoot, file).replaceAll('\\', '/');
    if (/^(?:src|dist)\//.test(own) || file.replaceAll('\\', '/').includes('/node_modules/')) continue;
    return `${relative(process.cwd(), file)}:${position}`;
  }
  return undefined;
}

/** Ends a case that this subject cannot prove. The message is the reason. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** The reason why an empty medical directory proves nothing. No fixture promises places. */
export const noPlaces = 'the medical directory is empty';

/** The reason why a list with fewer than two rows proves nothing about its pages. */
export const tooShort = 'the list has fewer than two rows, so its pages prove nothing';

/** The reason why a list without records proves nothing. Other cases write records and read them. */
export const noneYet = 'no patient has a record there yet: other cases write records and read them';
