import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { SettingsProblem } from '../adapter.ts';
import { Problems } from './problems.ts';
import { findProblems } from './references.ts';
import { type WorldFile, worldFile } from './world-schema.ts';

/**
 * Reads a world and checks it, its references included.
 * @throws SettingsProblem that says what is wrong, where, in which file; at most 20 problems and how many more.
 */
export function readWorld(path: string): WorldFile {
  return parseWorld(parseJson(path), path);
}

/**
 * Checks a world that is in memory already.
 * @param source what the problems begin with.
 * @throws SettingsProblem as `readWorld` does.
 */
export function parseWorld(data: unknown, source?: string): WorldFile {
  const { data: world, error } = worldFile.safeParse(data, { reportInput: false });
  if (error) {
    const problems = new Problems();
    for (const issue of error.issues) addIssue(problems, issue);
    problems.check(source);
  }
  const checked = world as WorldFile;
  findProblems(checked).check(source);
  return checked;
}

/** The sandbox hospital that comes with the package, whether the code runs from its sources or from `dist`. */
export function findBundledWorld(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'config', 'sandbox-hospital.json');
}

function parseJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
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

/** Only the place is taken from the engine's message, which quotes the text around it. */
const formatPlace = (message: string): string => {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  return line === undefined ? '' : `: look at line ${line}, column ${column}`;
};

function addIssue(problems: Problems, issue: z.core.$ZodIssue): void {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) problems.add([...issue.path, key], 'is not a field that is known here');
  } else {
    problems.add(issue.path, toSentence(issue));
  }
}

function toSentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `must be there, and be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_format' && issue.format === 'date') return 'must be a date YYYY-MM-DD that exists';
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${issue.origin === 'number' ? '' : ' long'}`;
  return issue.message;
}
