import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { didYouMean } from '../../../src/toolkit/did-you-mean.ts';
import { ConfigProblems, explainIssue, formatPath } from '../../../src/toolkit/problems.ts';
import { SettingsProblem } from '../../../src/toolkit/settings-problem.ts';
import { YamlFile } from '../../../src/toolkit/yaml-file.ts';
import { standardise } from '../sources/sql/statement.ts';
import type { Problem } from './check-use.ts';
import { findProblems } from './checks.ts';
import { type MappingFile, mappingSchema } from './schema.ts';
import { things } from './things.ts';

const hints = { option: 'settings.file of the adapter', example: 'the examples in docs/mapping.md' };

/**
 * Reads a mapping file and checks all that can be checked without its system.
 * @throws SettingsProblem at `file` with all problems, one line each: `his.yaml:12:5 patients.fields.gender: ...; what mends it`.
 */
export function loadMapping(path: string): MappingFile {
  try {
    const file = new YamlFile(path, hints);
    const content = file.toJS();
    if (Object(content.database).kind === 'mysql')
      for (const name of Object.keys(things)) standardiseAll(content, name);
    const { data, error } = mappingSchema.safeParse(content, { error: explain });
    const problems = [
      ...(error?.issues.flatMap(listProblems) ?? []),
      ...findProblems(data ?? keepValid(content), content),
    ];
    if (data && problems.length === 0) return resolvePaths(data, dirname(path));
    throw new ConfigProblems(
      problems.map(({ path: at, what }) => `${file.findColumn(at)} ${formatPath(at).slice(1) || 'the file'}: ${what}`),
    );
  } catch (error) {
    throw error instanceof ConfigProblems ? new SettingsProblem('file', error.problems) : error;
  }
}

/** The statements of a thing, as all databases understand them. */
function standardiseAll(part: Record<string, unknown>, key: string): void {
  const value = part[key];
  if (typeof value === 'string') part[key] = standardise(value);
  else if (!Object.hasOwn(Object(value), 'request')) {
    const inner = Object(value) as Record<string, unknown>;
    for (const each of Object.keys(inner)) if (each !== 'fields') standardiseAll(inner, each);
  }
}

/** A relative path means from the folder of the file. */
function resolvePaths(file: MappingFile, folder: string): MappingFile {
  const { database } = file;
  if (database?.kind === 'sqlite') return { ...file, database: { ...database, file: resolve(folder, database.file) } };
  if (database?.kind === 'other')
    return { ...file, database: { ...database, driver: resolve(folder, database.driver) } };
  return file;
}

/** The sections that are as they should be, so that the rest of them can be checked beside the others’ faults. */
const keepValid = (content: Record<string, unknown>): MappingFile =>
  Object.fromEntries(
    Object.entries(mappingSchema.shape).flatMap(([name, schema]) => {
      const { data } = z.safeParse(schema, content[name]);
      return data === undefined ? [] : [[name, data]];
    }),
  ) as MappingFile;

function explain(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== 'unrecognized_keys') return explainIssue(issue);
  const known = Object.keys((issue.inst as z.ZodObject | undefined)?.shape ?? {});
  return issue.keys
    .map((key) => `is not known${didYouMean(key, known) || `; known are ${known.join(', ')}`}`)
    .join('\n');
}

/** The problems of an issue: one for each unknown key, and of a choice those of what was probably meant. */
function listProblems(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const lines = issue.message.split('\n');
    return issue.keys.map((key, i) => ({ path: [...issue.path, key], what: lines[i]! }));
  }
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path: issue.path, what: issue.message }];
  if (issue.errors.every((inner) => countFaults(inner) >= 100)) {
    const messages = new Set(issue.errors.flat().map(({ message }) => message));
    return [{ path: issue.path, what: [...messages].join(' or ').replaceAll(' or must be ', ' or ') }];
  }
  const [meant = []] = issue.errors.toSorted((a, b) => countFaults(a) - countFaults(b));
  return meant.flatMap((inner) => listProblems({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** What is of another kind altogether was not meant; else the fewest faults say what was. */
const countFaults = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.reduce((sum, { code, path }) => sum + (code === 'invalid_type' && path.length === 0 ? 100 : 1), 0);
