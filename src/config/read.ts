import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Adapter } from '../../adapters/adapter.ts';
import { packageRoot } from '../runtime/package.ts';
import { didYouMean } from './did-you-mean.ts';
import { type Environment, type Override, readEnvironment, toOverride } from './environment.ts';
import { type Key, listKeys, listNames, namesFile } from './keys.ts';
import { ConfigProblems, formatPath, toSentence } from './problems.ts';
import { type Config, configSchema } from './schema.ts';
import { YamlFile } from './yaml-file.ts';

export interface ReadOptions {
  /** The configuration file; default: `PUENTE_CONFIG`, then this package's `config/default.yaml`. */
  readonly file?: string | undefined;
  /** Comes before the file and the environment. */
  readonly port?: string | undefined;
  readonly environment: Environment;
  readonly adapters: Readonly<Record<string, Adapter>>;
}

/** A configuration that can be used, and what is known of where it came from. */
export interface Loaded {
  readonly config: Config;
  readonly adapter: Adapter;
  readonly production: boolean;
  /** The file that was read, as an operator would type it. */
  readonly file: string;
  /** What works but hardly is what the operator wants, one line each. */
  readonly warnings: readonly string[];
  /** The line for a problem that shows only later, with the place where the key was set. */
  problem(path: readonly PropertyKey[], what: string): string;
}

/**
 * Reads the file, the environment and the command line into one checked configuration.
 * @throws ConfigProblems with all that is wrong.
 */
export function readConfig({ file, port, environment, adapters }: ReadOptions): Loaded {
  const path = resolve(file ?? (environment.PUENTE_CONFIG || join(packageRoot, 'config/default.yaml')));
  const source = new YamlFile(path);
  const values = source.toJS();
  const name = environment.PUENTE_ADAPTER_NAME || (values.adapter as { name?: unknown } | null)?.name || 'memory';
  const adapter = Object.entries(adapters).find(([known]) => known === name)?.[1];
  const production = environment.NODE_ENV === 'production';
  const schema = configSchema({
    adapters: Object.keys(adapters),
    settings: adapter?.settings.strict() ?? z.looseObject({}),
    production,
  });
  const keys = listKeys(schema);
  const fromEnvironment = readEnvironment(environment, keys);
  const overrides = [...fromEnvironment.overrides, ...(port === undefined ? [] : [portOption(keys, port)])];

  dropEmptySections(values, schema);
  resolveFiles(values, keys, dirname(path));
  for (const override of overrides) put(values, override);
  const problem = (at: readonly PropertyKey[], what: string): string => {
    const given = overrides.findLast((override) => override.path.every((part, i) => part === at[i]));
    return given
      ? `${given.label}${formatPath(at.slice(given.path.length))}: ${what}`
      : `${source.findPlace(at)} ${formatPath(at).slice(1)}: ${what}`;
  };
  const parsed = schema.safeParse(values, { error: toSentence });
  const problems = [
    ...(parsed.error?.issues.flatMap((issue) => createLineLookup(issue, schema, problem)) ?? []),
    ...fromEnvironment.problems.filter((line) => adapter || !line.startsWith('PUENTE_ADAPTER_SETTINGS_')),
    ...findTokenProblems(environment, production),
  ];
  if (problems.length > 0 || !parsed.success || !adapter) throw new ConfigProblems(problems);
  const config = parsed.data;
  return { config, adapter, production, file: source.name, warnings: listWarnings(config, problem), problem };
}

type Line = (path: readonly PropertyKey[], what: string) => string;

function createLineLookup(issue: z.core.$ZodIssue, schema: z.ZodType, line: Line): string[] {
  if (issue.code !== 'unrecognized_keys') return [line(issue.path, issue.message)];
  const known = listNames(schema, issue.path);
  return issue.keys.map((key) => line([...issue.path, key], `unknown setting${didYouMean(key, known)}`));
}

function portOption(keys: readonly Key[], text: string): Override {
  const key = keys.find(({ path }) => path.join('.') === 'http.port')!;
  return toOverride(key, '--port', text);
}

/** A section whose keys are all commented out is null in YAML, and means the defaults. */
function dropEmptySections(values: Record<string, unknown>, schema: z.ZodType, path: readonly string[] = []): void {
  for (const [name, value] of Object.entries(values)) {
    const here = [...path, name];
    if (value === null && listNames(schema, here).length > 0) delete values[name];
    if (isSection(value)) dropEmptySections(value, schema, here);
  }
}

const isSection = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A relative path in the file means: from the folder of the file. */
function resolveFiles(values: Record<string, unknown>, keys: readonly Key[], folder: string): void {
  for (const { path } of keys.filter(namesFile)) {
    const value = path.reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], values);
    if (typeof value === 'string') put(values, { path, value: resolve(folder, value) });
  }
}

/** Sets a value where its key belongs. A section that is something else stays, for the schema to refuse. */
function put(values: Record<string, unknown>, { path, value }: Pick<Override, 'path' | 'value'>): void {
  let section = values;
  for (const part of path.slice(0, -1)) {
    section[part] ??= {};
    const next = section[part];
    if (!isSection(next)) return;
    section = next;
  }
  section[path.at(-1)!] = value;
}

/** RFC 6750, section 2.1. */
const bearerForm = /^[A-Za-z0-9\-._~+/]+=*$/;

function findTokenProblems({ PUENTE_TOKEN: token }: Environment, production: boolean): string[] {
  if (!token) return [];
  if (production)
    return ['PUENTE_TOKEN: is not accepted in production; add a token to auth.tokens (puente token create)'];
  return bearerForm.test(token) ? [] : ['PUENTE_TOKEN: must be letters, digits and - . _ ~ + /'];
}

function listWarnings({ auth }: Config, line: Line): string[] {
  const expired = auth.tokens.flatMap(({ client, expires }, i) =>
    expires !== undefined && Date.parse(expires) <= Date.now()
      ? [line(['auth', 'tokens', i, 'expires'], `is in the past: the token of ${client} is rejected`)]
      : [],
  );
  const open = auth.groupA === 'none' ? [line(['auth', 'groupA'], 'Group A accepts requests without a token')] : [];
  return [...open, ...expired];
}
