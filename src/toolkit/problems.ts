import type { z } from 'zod';
import type { Impairment } from '../ports/index.ts';
import { getField } from './records.ts';

/** All problems of a configuration, one line each. */
export class ConfigProblems extends Error {
  override readonly name = 'ConfigProblems';
  readonly problems: readonly string[];
  /** The problems without their places if waiting can solve all of them. Otherwise empty. */
  readonly awaited: readonly Impairment[];

  constructor(problems: readonly string[], awaited: readonly Impairment[] = []) {
    super(problems.join('\n'));
    this.problems = problems;
    this.awaited = awaited;
  }
}

/** The impairments to wait for, if waiting can solve the problem. */
const listAwaited = ({ problems, awaits }: SettingsProblem, path: readonly PropertyKey[]): Impairment[] =>
  awaits === undefined
    ? []
    : problems.map((what) => ({ code: 'waiting', detail: `${formatPath(path).slice(1)} ${what}`, cause: awaits }));

/** Adds the places in the configuration to the problems. @param path of the section that has the setting. */
export function toConfigProblems(
  error: SettingsProblem,
  path: readonly PropertyKey[],
  problem: (path: readonly PropertyKey[], what: string) => string,
): ConfigProblems {
  const at = [...path, ...error.setting.split('.')];
  return new ConfigProblems(
    error.problems.map((what) => problem(at, what)),
    listAwaited(error, at),
  );
}

/** Joins errors into one: all their problems, or the first error of another kind. */
export function joinProblems(errors: readonly unknown[]): unknown {
  const found = errors.filter((error) => error instanceof ConfigProblems);
  if (found.length < errors.length) return errors.find((error) => !(error instanceof ConfigProblems));
  const isPassing = found.every(({ awaited }) => awaited.length > 0);
  return new ConfigProblems(
    found.flatMap(({ problems }) => problems),
    isPassing ? found.flatMap(({ awaited }) => awaited) : [],
  );
}

/** `.tokens[0].sha256`: the path of a key, relative to its section. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');

/** Explains a zod issue to an operator if the schema has no message of its own. Never repeats the value. */
export function explainIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing: add it' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return explainChoice(issue.values.map(String), issue);
    case 'too_small': {
      const parts = partsOf[issue.origin];
      if (parts)
        return Number(issue.minimum) === 1 ? 'must not be empty' : `must have at least ${issue.minimum} ${parts}`;
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    }
    case 'too_big': {
      const parts = partsOf[issue.origin];
      if (parts) return `must have at most ${issue.maximum} ${parts}`;
      return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    }
    case 'invalid_format':
      return issue.format === 'url' ? 'must be a URL' : `must have the format ${issue.format}`;
    case 'invalid_union':
      return Array.isArray(issue.options) ? explainChoice(issue.options.map(String), issue) : 'is invalid';
    default:
      return 'is invalid';
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a section with keys',
  record: 'a section with keys',
};

/** The unit of a length, by the type of the value. */
const partsOf: Readonly<Record<string, string>> = { string: 'characters', array: 'entries' };

function explainChoice(choices: readonly string[], { input, discriminator }: z.core.$ZodRawIssue): string {
  const given = typeof discriminator === 'string' ? getField(input, discriminator) : input;
  return `must be ${formatAlternatives(choices)}${typeof given === 'string' ? didYouMean(given, choices) : ''}`;
}

const formatAlternatives = (values: readonly string[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;

/**
 * `: did you mean x?` for the candidate with the fewest edits from the word. Empty if none is close.
 * @param elsewhere names that the same word has in other places; they take precedence.
 */
export function didYouMean(word: string, candidates: Iterable<string>, elsewhere: readonly string[] = []): string {
  if (elsewhere.length > 0) return `: did you mean ${elsewhere.join(' or ')}?`;
  let best: string | undefined;
  let fewest = Math.min(3, Math.max(1, Math.floor(word.length * 0.4))) + 1;
  for (const candidate of candidates) {
    const edits = countEdits(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best === undefined ? '' : `: did you mean ${best}?`;
}

/** The Levenshtein distance: the number of letters inserted, deleted or replaced. */
function countEdits(a: string, b: string): number {
  let edits = b.length;
  let above = Array.from({ length: b.length }, (_, j) => j + 1);
  for (let i = 0; i < a.length; i++) {
    let diagonal = i;
    edits = i + 1;
    above = above.map((up, j) => {
      edits = Math.min(diagonal + (a[i] === b[j] ? 0 : 1), up + 1, edits + 1);
      diagonal = up;
      return edits;
    });
  }
  return edits;
}

/**
 * A setting that cannot be used. The start reports every problem with its place: `config/x.yaml:12
 * adapter.settings.world: ...`.
 */
export class SettingsProblem extends Error {
  override readonly name = 'SettingsProblem';
  /** The setting, e.g. `world`. */
  readonly setting: string;
  /** One sentence each, with the fix. */
  readonly problems: readonly string[];
  /** The code of the temporary cause, e.g. `ECONNREFUSED`, if waiting can solve the problem. Otherwise undefined. */
  readonly awaits: string | undefined;

  /** Accepts instances of another copy of this class: an adapter from another package may have its own copy. */
  static override [Symbol.hasInstance](value: unknown): value is SettingsProblem {
    return value instanceof Error && value.name === 'SettingsProblem' && 'setting' in value;
  }

  constructor(setting: string, problems: readonly string[], awaits?: string) {
    super(problems.join('\n'));
    this.setting = setting;
    this.problems = problems;
    this.awaits = awaits;
  }
}

/** The gateway cannot listen on its port. */
export class ListenFailure extends Error {
  /** The section of the configuration that has the address and the port. */
  readonly section: 'http' | 'ops';
  /** The system's error, e.g. `EADDRINUSE`. */
  override readonly cause: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number };

  constructor(section: 'http' | 'ops', cause: NodeJS.ErrnoException) {
    super('cannot listen');
    this.section = section;
    this.cause = cause;
  }
}
