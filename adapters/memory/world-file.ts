import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { SettingsProblem } from '../../src/toolkit/problems.ts';
import { getFields } from '../../src/toolkit/records.ts';
import { readRegularFile } from '../../src/toolkit/settings-file.ts';
import { checkWorld } from './contradictions.ts';
import { listWeeks, worldFile } from './world-records.ts';

/** A checked world, with every default filled in and an appointment for each of its weeks. */
export type WorldFile = z.output<typeof consistentWorld>;

const onceValid = { when: ({ issues }: { readonly issues: readonly unknown[] }) => issues.length === 0 };

/** A world whose entries refer to existing ones and do not contradict each other. */
const consistentWorld = worldFile
  .superRefine((world, context) => {
    checkWorld(world, (path, message) => context.addIssue({ code: 'custom', path: [...path], message }));
  }, onceValid)
  .transform((world) => ({ ...world, appointments: world.appointments.flatMap(listWeeks) }));

/** The number of problems that are shown. Further ones are counted. */
const MAX_SHOWN = 20;

/**
 * Reads and checks a world file, with the references between its entries.
 * @param more further entries of its lists.
 * @throws SettingsProblem with file, path and reason of at most 20 problems, and the number of the others.
 */
export const readWorld = (path: string, more?: unknown): WorldFile =>
  parseWorld(more === undefined ? parseJson(path) : joinLists(getFields(parseJson(path)), getFields(more)), path);

const joinLists = (one: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>>) => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(more).flatMap(([name, list]) => (Array.isArray(list) ? [[name, [one[name], list].flat()]] : [])),
  ),
});

/**
 * Checks the content of a world file.
 * @param source the file, as the beginning of each problem.
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

/** Formats `patients/12/birthDate: must be a date`. Never with the value: a world may have real people. */
const formatProblem = (path: readonly PropertyKey[], message: string): string =>
  path.length > 0 ? `${path.map(String).join('/')}: ${message}` : message;

/** The path of the sandbox hospital or another file of its folder, from the sources and from `dist`. */
export function findBundledWorld(name = 'sandbox-hospital.json'): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'config', name);
}

export function parseJson(path: string): unknown {
  let text: string;
  try {
    text = readRegularFile(path, Number.POSITIVE_INFINITY).toString();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'does not exist: name a JSON file' : `cannot be read (${code})`;
    throw new SettingsProblem('world', [`${path} ${what}`]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingsProblem('world', [`${path} is not JSON${formatPlace(String(error))}`]);
  }
}

/** Returns only the place of the engine's message, because the message quotes the text around it. */
const formatPlace = (message: string): string => {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  return line === undefined ? '' : `: look at line ${line}, column ${column}`;
};

/** Explains zod's issue if the schema has no message of its own. Never with the value. */
function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is missing: add it' : `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_format' && issue.format === 'date') return 'must be a date YYYY-MM-DD that exists';
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${issue.origin === 'number' ? '' : ' long'}`;
  return undefined;
}
