import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure, writes } from '../ports/index.ts';
import { packageRoot } from '../toolkit/package.ts';
import { getField } from '../toolkit/records.ts';

/** Sentences of the language itself, which are made of code alone; others may hold what an adapter was told of a patient. */
const ofTheLanguage =
  /^(?:Cannot (?:read|set) properties of \w+(?: \((?:reading|setting) '[^']*'\))?|[\w$.()[\]? ]+ is not (?:a function|defined|iterable|a constructor).*|Invalid (?:time value|URL))$/;

/** So many different ones are told of a case. */
const MAX_TOLD = 3;

/** The errors of an adapter while a case ran, for its author. */
export class Thrown {
  readonly #bugs = new Map<string, unknown>();
  #failure: Failure | undefined;

  /** The adapter's note on each value that a write refused as unsupported. */
  readonly refusals: string[] = [];

  /** Notes what a port threw, or why its answer did not fit; a Failure that is an answer tells nothing. */
  add(error: unknown, method?: string): void {
    const isRefusal = error instanceof Failure && error.kind === 'unsupported' && error.code === undefined;
    if (isRefusal && writes.some((write) => write === method)) this.refusals.push(error.message);
    if (!(error instanceof Failure)) this.#bugs.set(explainThrown(error), error);
    else if (!['invalid', 'not_found', 'conflict', 'unsupported'].includes(error.kind)) this.#failure = error;
  }

  /** Each with what it says: the bugs, and without any the last Failure. */
  list(): (readonly [string, unknown])[] {
    if (this.#bugs.size > 0 || !this.#failure) return [...this.#bugs].slice(0, MAX_TOLD);
    return [[explainThrown(this.#failure), this.#failure]];
  }
}

/**
 * What was thrown in an adapter: its kind, its sentence where that can hold no value, and the first line of code that is
 * not Puente's.
 */
export function explainThrown(error: unknown): string {
  const issues = getField(error, 'issues');
  const [issue] = Array.isArray(issues) ? (issues as { path: PropertyKey[]; message: string }[]) : [];
  const frame = findFrame(error);
  const where = frame === undefined ? '' : ` at ${frame}`;
  if (issue && !frame) return `an answer of the adapter does not fit at ${issue.path.join('/')}: ${issue.message}`;
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

/** File, line and column of the first line of the stack that is neither Puente's nor of another package. */
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

/** Ends a case that cannot be proved on this subject after all, for the reason in the message. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Why nothing is proved of what nobody has, where cases write it and look at that. */
export const noneYet = 'nobody has one there yet: what cases have written is looked at';
