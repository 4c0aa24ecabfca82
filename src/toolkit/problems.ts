import type { z } from 'zod';
import type { Impairment } from '../ports/index.ts';
import { didYouMean } from './did-you-mean.ts';
import type { SettingsProblem } from './settings-problem.ts';

/** All problems of a configuration, one line each. */
export class ConfigProblems extends Error {
  override readonly name = 'ConfigProblems';
  readonly problems: readonly string[];
  /** The same without their places, when waiting can mend all of them; else empty. */
  readonly awaited: readonly Impairment[];

  constructor(problems: readonly string[], awaited: readonly Impairment[] = []) {
    super(problems.join('\n'));
    this.problems = problems;
    this.awaited = awaited;
  }
}

/** What a setting waits for, if waiting can mend its problem. */
const listAwaited = ({ problems, awaits }: SettingsProblem, path: readonly PropertyKey[]): Impairment[] =>
  awaits === undefined
    ? []
    : problems.map((what) => ({ code: 'waiting', detail: `${formatPath(path).slice(1)} ${what}`, cause: awaits }));

/** The same with the places of the configuration. @param path of the section that the setting stands in. */
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

/** One error for several: all their problems, or the first error that is something else. */
export function joinProblems(errors: readonly unknown[]): unknown {
  const found = errors.filter((error) => error instanceof ConfigProblems);
  if (found.length < errors.length) return errors.find((error) => !(error instanceof ConfigProblems));
  const isPassing = found.every(({ awaited }) => awaited.length > 0);
  return new ConfigProblems(
    found.flatMap(({ problems }) => problems),
    isPassing ? found.flatMap(({ awaited }) => awaited) : [],
  );
}

/** `.tokens[0].sha256`: the path of a key from the section above it. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');

/** Explains a zod issue to an operator, where the schema has no message of its own. Never repeats the value. */
export function explainIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`;
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

/** What is counted of a value that has a length. */
const partsOf: Readonly<Record<string, string>> = { string: 'characters', array: 'entries' };

function explainChoice(choices: readonly string[], { input, discriminator }: z.core.$ZodRawIssue): string {
  const given = typeof discriminator === 'string' ? (input as Readonly<Record<string, unknown>>)[discriminator] : input;
  return `must be ${formatAlternatives(choices)}${typeof given === 'string' ? didYouMean(given, choices) : ''}`;
}

const formatAlternatives = (values: readonly string[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
