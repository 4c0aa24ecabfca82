import { resolve } from 'node:path';
import { isSection, listNames } from '../../../config/keys.ts';
import { didYouMean } from '../../../toolkit/did-you-mean.ts';
import { commandLine } from '../../../toolkit/package.ts';
import { ConfigProblems, explainIssue, formatPath } from '../../../toolkit/problems.ts';
import { YamlFile } from '../../../toolkit/yaml-file.ts';
import { type FixtureMap, mapSchema } from './schema.ts';

/**
 * Reads a fixture map; a key without a value counts as left out.
 * @throws ConfigProblems with the line of each problem.
 */
export function readMap(file: string): FixtureMap {
  const source = openMap(file);
  const { data, error } = mapSchema.safeParse(dropEmpty(source.toJS()), { error: explainIssue });
  if (data) return data;
  const format = (path: readonly PropertyKey[], what: string): string =>
    `${source.findPlace(path)} ${formatPath(path).slice(1)}: ${what}`;
  throw new ConfigProblems(
    error.issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') return [format(issue.path, issue.message)];
      const known = listNames(mapSchema, issue.path);
      return issue.keys.map((key) => format([...issue.path, key], `unknown fixture${didYouMean(key, known)}`));
    }),
  );
}

const openMap = (file: string): YamlFile =>
  new YamlFile(resolve(file), { option: '--map', example: `what ${commandLine} contract init writes` });

/**
 * All that stands in a fixture map, also keys whose values are still to come.
 * @throws ConfigProblems as `readMap`.
 */
export function readKeys(file: string): Record<string, unknown> {
  readMap(file);
  return openMap(file).toJS();
}

/** Without the keys whose values are still to come. */
const dropEmpty = (section: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(section).flatMap(([key, value]) => {
      if (value === null) return [];
      return [[key, isSection(value) ? dropEmpty(value) : value]];
    }),
  );
