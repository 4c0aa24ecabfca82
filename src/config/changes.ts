import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { readRegularFile } from '../toolkit/regular-file.ts';
import { isSection } from './keys.ts';
import type { Config } from './schema.ts';

/** Keys, or sections of them, that a running gateway takes over. */
const reloadable = ['auth.tokens', 'auth.jwt', 'auth.issuers', 'auth.maxTokenLength', 'limits'];

/** Whether a running gateway takes over this key. */
export const isReloadable = (key: string): boolean =>
  reloadable.some((each) => key === each || key.startsWith(`${each}.`));

/** A configuration as it was read, with digests of what its `file:` references held, so that changes of either are seen. */
interface Snapshot {
  readonly config: Config;
  readonly secrets: ReadonlyMap<string, string>;
}

export const takeSnapshot = (config: Config): Snapshot => ({ config, secrets: new Map(digestSecrets(config, [])) });

/** The keys, e.g. `http.port`, whose values differ, or whose files do. A list is one key, and so is an issuer. */
export const listChanges = (before: Snapshot, after: Snapshot): string[] => [
  ...new Set([
    ...compare(before.config, after.config, []),
    ...[...after.secrets].flatMap(([key, digest]) =>
      before.secrets.has(key) && before.secrets.get(key) !== digest ? [key] : [],
    ),
  ]),
];

function compare(before: unknown, after: unknown, path: readonly string[]): string[] {
  const key = path.join('.');
  if (isSection(before) && isSection(after) && key !== 'auth.jwt') {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => compare(before[name], after[name], [...path, name]));
  }
  return isDeepStrictEqual(before, after) ? [] : [key];
}

/** By their keys; that of what stands in a list is the list's. */
function digestSecrets(value: unknown, path: readonly string[]): (readonly [string, string])[] {
  if (Array.isArray(value)) {
    const inside = value.flatMap((each) => digestSecrets(each, path).map(([, digest]) => digest));
    return inside.length === 0 ? [] : [[path.join('.'), inside.join()]];
  }
  if (isSection(value)) return Object.entries(value).flatMap(([name, each]) => digestSecrets(each, [...path, name]));
  const file = typeof value === 'string' && value.startsWith('file:') ? value.slice('file:'.length) : undefined;
  return file === undefined ? [] : [[path.join('.'), digestFile(file)]];
}

/** Whether a file can be read is the concern of who needs it. */
function digestFile(file: string): string {
  try {
    return hash('sha256', readRegularFile(file));
  } catch {
    return 'unreadable';
  }
}
