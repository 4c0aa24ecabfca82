import { parse } from 'yaml';
import { z } from 'zod';
import { didYouMean } from '../toolkit/problems.ts';
import { getField } from '../toolkit/records.ts';

/** A key of the configuration with a value, such as text, a number or a list. Never a section. */
export interface Key {
  readonly path: readonly string[];
  readonly schema: z.core.$ZodType;
}

/** Every key of a schema, in its order. */
export function listKeys(schema: z.core.$ZodType, path: readonly string[] = []): Key[] {
  const inner = unwrap(schema);
  if (!isObject(inner)) return [{ path, schema }];
  return Object.entries(inner._zod.def.shape).flatMap(([name, child]) => listKeys(child, [...path, name]));
}

/** The names of the keys of the section or list entry at the path. Empty if it is something else. */
export function listNames(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const found = findSchema(schema, path);
  return found && isObject(found) ? Object.keys(found._zod.def.shape) : [];
}

export const isSectionPath = (schema: z.core.$ZodType, path: readonly PropertyKey[]): boolean =>
  ['object', 'record'].includes(findSchema(schema, path)?._zod.def.type ?? '');

function findSchema(schema: z.core.$ZodType, [key, ...rest]: readonly PropertyKey[]): z.core.$ZodType | undefined {
  const inner = unwrap(schema);
  if (key === undefined) return inner;
  const child = isObject(inner)
    ? inner._zod.def.shape[String(key)]
    : (findInner(inner, 'element') ?? findInner(inner, 'valueType'));
  return child && findSchema(child, rest);
}

/**
 * True if the key accepts this text unchanged, so that `007` or `no` from the environment stays text. Other types have
 * precedence: a list from `[...]`, a mapping from `{...}`, a boolean from `true` or `false`, and null from `null`.
 */
function takesText({ schema }: Key, text: string): boolean {
  if (text === 'null' && listLayers(schema).some((layer) => layer._zod.def.type === 'nullable')) return false;
  const inner = unwrap(schema);
  const options = inner instanceof z.core.$ZodUnion ? inner._zod.def.options : [inner];
  const isText = options.some((each) => ['string', 'enum', 'literal'].includes(each._zod.def.type));
  const isFlag = options.some((each) => each._zod.def.type === 'boolean') && /^(true|false)$/.test(text);
  const isMapping = options.some(isObject) && text.startsWith('{');
  return isText && !isFlag && !isMapping && (options.length === 1 || !text.startsWith('['));
}

/** True if the schema of the key carries the mark, as `.meta({ file: true })`. */
export const isMarked = ({ schema }: Key, mark: 'file' | 'certificates' | 'timeout' | 'address'): boolean =>
  listLayers(schema).some((layer) => z.globalRegistry.get(layer)?.[mark] === true);

const unwrap = (schema: z.core.$ZodType): z.core.$ZodType => listLayers(schema).at(-1) ?? schema;

/**
 * The schema and its inner schemas (defaults, optionality, transformations), down to the schema of the value in the
 * file.
 */
function listLayers(schema: z.core.$ZodType): z.core.$ZodType[] {
  const inner = findInner(schema, 'innerType') ?? findInner(schema, 'in');
  return inner ? [schema, ...listLayers(inner)] : [schema];
}

/** The inner schema of another one, under zod's name for it. */
function findInner(schema: z.core.$ZodType, name: string): z.core.$ZodType | undefined {
  const inner = getField(schema._zod.def, name);
  return inner instanceof z.core.$ZodType ? inner : undefined;
}

const isObject = (schema: z.core.$ZodType): schema is z.core.$ZodObject => schema._zod.def.type === 'object';

/** The value at that path. Undefined if there is none. */
export const getValue = (values: unknown, path: readonly string[]): unknown => path.reduce<unknown>(getField, values);

/** A value for a key from outside the file, and the variable or option that set it. */
export interface Override {
  readonly label: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that are not keys of the file. */
const otherVariables = ['PUENTE_CONFIG', 'PUENTE_TOKEN', 'PUENTE_CONTRACT_TOKEN', 'PUENTE_URL'];
const shortNames: Readonly<Record<string, string>> = { PUENTE_PORT: 'PUENTE_HTTP_PORT' };

/** `http.readDeadline` is `PUENTE_HTTP_READ_DEADLINE`. A dash also becomes an underscore. */
export const toVariable = (path: readonly string[]): string =>
  ['PUENTE', ...path.map((part) => part.replace(/(?<=[a-z0-9])(?=[A-Z])|-/g, '_').toUpperCase())].join('_');

/** Parses a text from outside the file: unchanged if the key accepts text, otherwise as YAML, e.g. `[a, b]`. */
export function toOverride(key: Key, label: string, text: string): Override {
  return { label, path: key.path, value: takesText(key, text) ? text : parseYaml(text) };
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { prettyErrors: false });
  } catch {
    return text;
  }
}

/** The overrides from the environment, and a problem for each unknown variable. Empty variables are treated as not set. */
export function readEnvironment(environment: Environment, keys: readonly Key[]) {
  const known = new Map(keys.map((key) => [toVariable(key.path), key]));
  const overrides: Override[] = [];
  const problems: string[] = [];
  const given = Object.entries(environment).flatMap(([name, text]) =>
    name.startsWith('PUENTE_') && text && !isSetByKubernetes(name, text) ? [[name, text] as const] : [],
  );
  for (const [name, text] of given) {
    if (otherVariables.includes(name)) continue;
    const key = known.get(shortNames[name] ?? name);
    if (key) {
      overrides.push(toOverride(key, name, text));
    } else {
      const names = [...known.keys(), ...otherVariables, ...Object.keys(shortNames)];
      problems.push(`${name}: unknown setting${didYouMean(name, names, findEndings(name, names)) || ': remove it'}`);
    }
  }
  for (const [short, long] of Object.entries(shortNames)) {
    if ([short, long].every((each) => given.some(([name]) => name === each)))
      problems.push(`${short}: is an alias of ${long}: set only one of them`);
  }
  return { overrides, problems };
}

/** `PUENTE_ADAPTER_SETTINGS_BASE_URL` for `PUENTE_BASE_URL`. */
const findEndings = (name: string, names: readonly string[]): string[] =>
  names.filter((each) => each.endsWith(name.slice('PUENTE'.length)));

/** Kubernetes sets variables such as `PUENTE_PORT=tcp://10.0.0.7:80` in every pod if a Service is called `puente`. */
const isSetByKubernetes = (name: string, text: string): boolean =>
  /^(tcp|udp|sctp):\/\//.test(text) ||
  /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name);

/** Checks a rule about several keys even if one of them is invalid, so that all problems are reported at once. */
export const always = { when: () => true };

export const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number between ${min} and ${max}`;
  return z.number({ error }).refine((value) => Number.isInteger(value) && value >= min && value <= max, { error });
};

export const milliseconds = (min = 1) => wholeNumber(min, 3_600_000);
