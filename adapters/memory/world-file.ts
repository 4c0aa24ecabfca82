import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { readRegularFile } from '../../src/toolkit/regular-file.ts';
import { SettingsProblem } from '../../src/toolkit/settings-problem.ts';
import { consistentWorld } from './references.ts';
import type { WorldFile } from './world-schema.ts';

/** The problems that are shown; the others are only counted. */
const MAX_SHOWN = 20;

/**
 * Reads a world file and checks it, with the references between its entries.
 * @throws SettingsProblem with file, path and reason of at most 20 problems, and the number of the others.
 */
export const readWorld = (path: string): WorldFile => parseWorld(parseJson(path), path);

/**
 * Checks a world that has been read.
 * @param source the file, which each problem begins with.
 * @throws SettingsProblem as `readWorld` does.
 */
export function parseWorld(data: unknown, source?: string): WorldFile {
  const { data: world, error } = consistentWorld.safeParse(data, { error: explainIssue });
  if (world) return world;
  const problems = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => formatProblem([...issue.path, key], 'unknown field'))
      : formatProblem(issue.path, issue.message),
  );
  const shown = problems
    .slice(0, MAX_SHOWN)
    .map((problem) => (source === undefined ? problem : `${source} ${problem}`));
  const more = problems.length - shown.length;
  throw new SettingsProblem('world', more > 0 ? [...shown, `and ${more} more`] : shown);
}

/** With the path, e.g. `patients/12/birthDate: must be a date`. Never with the value: a world may hold real people. */
const formatProblem = (path: readonly PropertyKey[], message: string): string =>
  path.length > 0 ? `${path.map(String).join('/')}: ${message}` : message;

/** The path of the sandbox hospital in this package, for the sources and for `dist`. */
export function findBundledWorld(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'config', 'sandbox-hospital.json');
}

function parseJson(path: string): unknown {
  let text: string;
  try {
    text = readRegularFile(path, Number.POSITIVE_INFINITY).toString();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'does not exist; give the path of a JSON file' : `cannot be read (${code})`;
    throw new SettingsProblem('world', [`${path} ${what}`]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingsProblem('world', [`${path} is not JSON${formatPlace(String(error))}`]);
  }
}

/** Takes only the place from the engine's message, because that quotes the text around it. */
const formatPlace = (message: string): string => {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  return line === undefined ? '' : `: look at line ${line}, column ${column}`;
};

/** What zod found, where the schema has no message of its own; never with the value. */
function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is missing' : `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_format' && issue.format === 'date') return 'must be a date YYYY-MM-DD that exists';
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${issue.origin === 'number' ? '' : ' long'}`;
  return undefined;
}
