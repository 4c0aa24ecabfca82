import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Adapter } from '../../adapters/adapter.ts';
import type { LoadAdapter } from '../../adapters/loaders.ts';
import type { Finding } from '../ports/index.ts';
import { commandLine, packageRoot } from '../toolkit/package.ts';
import { ConfigProblems, didYouMean, explainIssue, formatPath } from '../toolkit/problems.ts';
import { isRecord } from '../toolkit/records.ts';
import { resolveReferences } from '../toolkit/secret.ts';
import { readRegularFile } from '../toolkit/settings-file.ts';
import { YamlFile } from '../toolkit/yaml-file.ts';
import { type ConfiguredAdapter, type FoundAdapter, findAdapter, listConfiguredAdapters } from './adapters.ts';
import { jwt } from './jwt.ts';
import {
  type Environment,
  getValue,
  isMarked,
  isSectionPath,
  type Key,
  listKeys,
  listNames,
  type Override,
  readEnvironment,
  toOverride,
  toVariable,
} from './keys.ts';
import { type Config, configSchema } from './schema.ts';
import { examineCertificates, type FormatProblem, findFirstEnd, listTokenWarnings, listWarnings } from './warnings.ts';

interface ReadOptions {
  /**
   * The configuration file. Default: `PUENTE_CONFIG`, then `puente.yaml` here, then this package's
   * `config/default.yaml`.
   */
  readonly file?: string | undefined;
  /** Overrides the file and the environment. */
  readonly port?: string | undefined;
  /** Settings of the default adapter's `sandbox`. Each overrides its value in the file and the environment. */
  readonly sandbox?: Readonly<Record<string, unknown>> | undefined;
  readonly environment: Environment;
}

/** Selects keys such as `http.port` or `auth.tokens.0.expires`. */
type ConcernsKey = (key: string) => boolean;

/** A valid configuration, and its source. */
export interface LoadedConfig {
  readonly config: Config;
  /** The default adapter, followed by the additional ones. */
  readonly adapters: readonly FoundAdapter[];
  readonly production: boolean;
  /** The file that was read, in the operator's spelling. */
  readonly file: string;
  /** Settings that are valid but probably unintended at the time of the call, one line each. */
  listWarnings(concerns?: ConcernsKey): readonly string[];
  /** The certificates that have expired by the time of the call, or soon will. */
  listCertificates(concerns?: ConcernsKey): readonly Finding[];
  /** The line for a problem that is found later. It begins with the place where the key was set. */
  problem(path: readonly PropertyKey[], what: string): string;
}

/**
 * Reads the configuration, loads the adapters and imports the modules that it names.
 * @param adapters the adapters of this package, or a function that loads them.
 * @throws ConfigProblems with all problems at once.
 */
export async function loadConfig({
  adapters,
  ...options
}: ReadOptions & { readonly adapters: Readonly<Record<string, Adapter | LoadAdapter>> }): Promise<LoadedConfig> {
  const file = openFile(options);
  const found: ConfiguredAdapter[] = [];
  for (const named of file.named) found.push(await findAdapter(named, adapters));
  return checkConfig(options, file, Object.keys(adapters), found);
}

/** Like `loadConfig`, with loaded adapters. Modules are not imported. */
export function readConfig({
  adapters,
  ...options
}: ReadOptions & { readonly adapters: Readonly<Record<string, Adapter>> }): LoadedConfig {
  const file = openFile(options);
  const found = file.named.map((named) => {
    const isThere = named.module === undefined && Object.hasOwn(adapters, named.builtIn);
    return { ...named, adapter: isThere ? adapters[named.builtIn] : undefined };
  });
  return checkConfig(options, file, Object.keys(adapters), found);
}

function openFile({ file, environment }: ReadOptions) {
  const path = resolve(file ?? (environment.PUENTE_CONFIG || findDefaultFile()));
  const source = new YamlFile(path);
  const folder = dirname(path);
  return { source, folder, named: listConfiguredAdapters(source.toJS(), environment, folder) };
}

function checkConfig(
  { port, environment, sandbox }: ReadOptions,
  { source, folder }: Pick<ReturnType<typeof openFile>, 'source' | 'folder'>,
  adapters: readonly string[],
  named: readonly ConfiguredAdapter[],
): LoadedConfig {
  const [chosen, ...further] = named;
  if (!chosen) throw new Error('there is always a default adapter');
  const values = source.toJS();
  const production = environment.NODE_ENV === 'production';
  const schema = configSchema({ adapters, chosen, further, production });
  const keys = listKeys(schema);
  const fromEnvironment = readEnvironment(environment, keys);
  const overrides = [...fromEnvironment.overrides, ...(port === undefined ? [] : [toPortOverride(keys, port)])];

  for (const { path, replaces } of named)
    if (replaces) setValue(values, { path: [...path, 'settings'], value: undefined });
  dropEmptySections(values, schema);
  resolveReferences(values, folder);
  resolveFiles(values, keys, folder);
  for (const issuer of listIssuers(values)) if (isRecord(issuer)) resolveFiles(issuer, listKeys(jwt), folder);
  for (const override of overrides) setValue(values, override);
  if (sandbox) {
    const override = toSandboxOverride(values, [...chosen.path, 'settings', 'sandbox'], sandbox);
    setValue(values, override);
    overrides.push(override);
  }
  const problem = (at: readonly PropertyKey[], what: string): string => {
    const given = overrides.findLast((override) => override.path.every((part, i) => part === at[i]));
    return given
      ? `${given.label}${formatPath(at.slice(given.path.length))}: ${what}`
      : `${source.findPlace(at)} ${formatPath(at).slice(1)}: ${what}`;
  };
  const parsed = schema.safeParse(values, { error: explainIssue });
  const unknown = named.filter(({ adapter }) => !adapter).map(({ path }) => `${toVariable([...path, 'settings'])}_`);
  const problems = [
    ...(parsed.error?.issues.flatMap((issue) => formatIssue(issue, schema, keys, problem)) ?? []),
    ...fromEnvironment.problems.filter((line) => !unknown.some((prefix) => line.startsWith(prefix))),
    ...[...findModeProblems(environment), ...findTokenProblems(environment, production)],
    ...(production ? listSandboxes(values, named).map((path) => problem(path, sandboxRefused)) : []),
  ];
  if (problems.length > 0 || !parsed.success || !named.every(isFound)) throw new ConfigProblems(problems);
  const config = parsed.data;
  const certificates = findCertificates(values, keys);
  return {
    config,
    adapters: named,
    production,
    file: source.name,
    listWarnings: (concerns = () => true) => {
      const format: FormatProblem = (path, what) => (concerns(path.join('.')) ? problem(path, what) : '');
      const own = concerns('PUENTE_TOKEN') ? listTokenWarnings(environment) : [];
      return [...listWarnings(config, keys, format), ...own].filter((line) => line !== '');
    },
    listCertificates: (concerns = () => true) =>
      examineAll(certificates, (path, what) => (concerns(path.join('.')) ? problem(path, what) : undefined)),
    problem,
  };
}

/** The findings about certificates that have ended or will end soon. */
const examineAll = (
  certificates: ReturnType<typeof findCertificates>,
  format: (...problem: Parameters<FormatProblem>) => string | undefined,
): readonly Finding[] =>
  certificates.flatMap(({ path, file, end }) => {
    const found = examineCertificates(file, end);
    const detail = found && format(path, found.detail);
    return found && detail !== undefined ? [{ check: 'certificate', ...found, detail }] : [];
  });

const isFound = (named: ConfiguredAdapter): named is FoundAdapter => named.adapter !== undefined;

const findDefaultFile = (): string =>
  existsSync('puente.yaml') ? 'puente.yaml' : join(packageRoot, 'config/default.yaml');

function formatIssue(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  keys: readonly Key[],
  format: FormatProblem,
): string[] {
  if (issue.code !== 'unrecognized_keys') return [format(issue.path, issue.message)];
  const known = listNames(schema, issue.path);
  return issue.keys.map((key) => {
    const elsewhere = keys.filter(({ path }) => path.at(-1) === key).map(({ path }) => path.join('.'));
    return format([...issue.path, key], `unknown setting${didYouMean(key, known, elsewhere) || ': remove it'}`);
  });
}

function toPortOverride(keys: readonly Key[], text: string): Override {
  const key = keys.find(({ path }) => path.join('.') === 'http.port');
  if (!key) throw new Error('the schema has no http.port');
  return toOverride(key, '--port', text);
}

/**
 * Removes sections whose keys are all commented out, which are null in YAML and have their defaults. Keeps every other
 * section.
 */
function dropEmptySections(values: Record<string, unknown>, schema: z.ZodType, path: readonly string[] = []): void {
  for (const [name, value] of Object.entries(values)) {
    const here = [...path, name];
    if (value === null && isSectionPath(schema, here)) delete values[name];
    if (!isRecord(value) || Object.keys(value).length === 0) continue;
    dropEmptySections(value, schema, here);
    if (Object.keys(value).length === 0) delete values[name];
  }
}

function resolveFiles(values: Record<string, unknown>, keys: readonly Key[], folder: string): void {
  for (const { path } of keys.filter((key) => isMarked(key, 'file'))) {
    const value = getValue(values, path);
    if (typeof value === 'string') setValue(values, { path, value: resolve(folder, value) });
  }
}

/** Sets the value of a key. A section with a value of another type stays, so that the schema reports it. */
function setValue(values: Record<string, unknown>, { path, value }: Pick<Override, 'path' | 'value'>): void {
  let section = values;
  for (const part of path.slice(0, -1)) {
    section[part] ??= {};
    const next = section[part];
    if (!isRecord(next)) return;
    section = next;
  }
  section[String(path.at(-1))] = value;
}

/** The sandbox settings of the command line; other settings keep their values. */
function toSandboxOverride(values: Record<string, unknown>, path: readonly string[], given: object): Override {
  const known = getValue(values, path);
  const label = Object.keys(given).map((name) => `--${name}`);
  return { label: label.join(', '), path, value: { ...(isRecord(known) && known), ...given } };
}

/** Rejects a misspelled NODE_ENV, which would enable the trial token and the open pages. */
const findModeProblems = ({ NODE_ENV: mode = '' }: Environment): string[] =>
  mode !== 'production' && /^prod/i.test(mode.trim())
    ? ['NODE_ENV: must be production, in lower case, or another value for trials']
    : [];

/** RFC 6750, section 2.1. */
const bearerForm = /^[A-Za-z0-9\-._~+/]+=*$/;

function findTokenProblems({ PUENTE_TOKEN: token }: Environment, production: boolean): string[] {
  if (!token) return [];
  if (production)
    return [`PUENTE_TOKEN: is not accepted in production: add a token to auth.tokens (${commandLine} token create)`];
  return bearerForm.test(token) ? [] : ['PUENTE_TOKEN: must be letters, digits and - . _ ~ + /'];
}

/** The settings that turn a hospital in memory into a sandbox that is not for production. */
const listSandboxes = (values: Record<string, unknown>, found: readonly ConfiguredAdapter[]): (readonly string[])[] =>
  found
    .filter(({ module, builtIn }) => module === undefined && builtIn === 'memory')
    .map(({ path }) => [...path, 'settings', 'sandbox'])
    .filter((path) => isSandbox(getValue(values, path)));

const isSandbox = (value: unknown): boolean => value === true || isRecord(value);

const sandboxRefused =
  'must not be true if NODE_ENV is production: remove it, or write production for a shared sandbox';

/** Files with certificates that settings name, including the list of additional issuers, and the first expiry in each. */
function findCertificates(values: Record<string, unknown>, keys: readonly Key[]) {
  const files: (readonly [readonly PropertyKey[], unknown])[] = [
    ...keys.filter((key) => isMarked(key, 'certificates')).map(({ path }) => [path, getValue(values, path)] as const),
    ...listIssuers(values).map((issuer, i) => [['auth', 'issuers', i, 'ca'], getValue(issuer, ['ca'])] as const),
  ];
  return files.flatMap(([path, file]) => (typeof file === 'string' ? [{ path, file, end: findFirstEnd(file) }] : []));
}

/** The additional issuers, before any check. */
function listIssuers(values: Record<string, unknown>): readonly unknown[] {
  const issuers = getValue(values, ['auth', 'issuers']);
  return Array.isArray(issuers) ? issuers : [];
}

/** Keys, or sections of keys, that a running gateway reloads. */
const reloadable = ['auth.tokens', 'auth.jwt', 'auth.issuers', 'auth.maxTokenLength', 'limits'];

export const isReloadable = (key: string): boolean =>
  reloadable.some((each) => key === each || key.startsWith(`${each}.`));

/** A configuration as read, with digests of its `file:` references, to detect changes of either. */
interface Snapshot {
  readonly config: Config;
  readonly secrets: ReadonlyMap<string, string>;
}

export const takeSnapshot = (config: Config): Snapshot => ({ config, secrets: new Map(digestSecrets(config, [])) });

/** The keys, e.g. `http.port`, whose values or files differ. A list counts as one key, and so does an issuer. */
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
  if (isRecord(before) && isRecord(after) && key !== 'auth.jwt') {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => compare(before[name], after[name], [...path, name]));
  }
  return isDeepStrictEqual(before, after) ? [] : [key];
}

/** The secrets by their keys. An entry of a list has the list's key. */
function digestSecrets(value: unknown, path: readonly string[]): (readonly [string, string])[] {
  if (Array.isArray(value)) {
    const inside = value.flatMap((each) => digestSecrets(each, path).map(([, digest]) => digest));
    return inside.length === 0 ? [] : [[path.join('.'), inside.join()]];
  }
  if (isRecord(value)) return Object.entries(value).flatMap(([name, each]) => digestSecrets(each, [...path, name]));
  const file = typeof value === 'string' && value.startsWith('file:') ? value.slice('file:'.length) : undefined;
  return file === undefined ? [] : [[path.join('.'), digestFile(file)]];
}

/** The reader of the file reports that it cannot be read. */
function digestFile(file: string): string {
  try {
    return hash('sha256', readRegularFile(file));
  } catch {
    return 'unreadable';
  }
}
