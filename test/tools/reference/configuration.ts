import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { z } from 'zod';
import { adapters } from '../../../adapters/index.ts';
import { type Key, listKeys } from '../../../src/config/keys.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { formatKey, quote } from './markdown.ts';

/** Every key of a configuration whose default adapter has these settings. */
export const keysWith = (settings: z.ZodObject): readonly Key[] =>
  listKeys(
    configSchema({
      adapters: Object.keys(adapters),
      chosen: {
        ...{ path: ['adapter'], name: 'memory', builtIn: 'memory', module: undefined, folders: ['', ''] },
        adapter: { ...adapters.memory, settings },
      },
      further: [],
      production: false,
    }),
  );

/** The value of a key that is not set; undefined when there is no default. */
export function defaultOf(schema: z.core.$ZodType): unknown {
  const def = schema._zod.def as { type: string; defaultValue?: unknown; innerType?: z.core.$ZodType };
  if (def.type === 'default') return def.defaultValue;
  return def.innerType && defaultOf(def.innerType);
}

interface Entry {
  readonly path: readonly string[];
  /** The comment above the key. Lines of an example in it are in `example`. */
  readonly about: string;
  readonly example: readonly string[];
  /** The value beside the key, and whether the line is commented out. */
  readonly value: string;
  readonly isOff: boolean;
}

/** The keys of a commented configuration file that the schema has, in the order of the file. */
function readCommented(file: string, keys: readonly Key[]): readonly Entry[] {
  // The keys below `adapters` are names of the user's choice.
  const known = new Set([
    'adapters',
    ...keys.flatMap(({ path }) => path.map((_, i) => path.slice(0, i + 1).join('.'))),
  ]);
  const entries: Entry[] = [];
  let comment: string[] = [];
  const path: { readonly indent: number; readonly name: string }[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, indent = '', off = '', name = '', value = ''] = /^( *)(# )?(\w+):(?: +(.*))?$/.exec(line) ?? [];
    while (name !== '' && (path.at(-1)?.indent ?? -1) >= indent.length) path.pop();
    const at = [...path.map((each) => each.name), name];
    if (name !== '' && known.has(at.join('.'))) {
      path.push({ indent: indent.length, name });
      const example = comment.filter((each) => /^ {2}/.test(each));
      const about = comment.filter((each) => !example.includes(each)).join(' ');
      entries.push({ path: at, about, example, value: value.replace(/\s+#.*$/, ''), isOff: off !== '' });
      comment = [];
    } else comment = line.trim().startsWith('#') ? [...comment, line.trim().slice(2)] : [];
  }
  return entries;
}

/** Joins keys with the comment `As above.` in the value of their section. */
function joinRepeats(entries: readonly Entry[]): readonly Entry[] {
  const repeats = entries.filter(({ about }) => about === 'As above.');
  return entries
    .filter((entry) => !repeats.includes(entry))
    .map((entry) => {
      const own = repeats.filter(({ path }) => path.slice(0, -1).join('.') === entry.path.join('.'));
      const value = own.map(({ path, value }) => `${path.at(-1)}: ${value}`).join(', ');
      return value === '' ? entry : { ...entry, value: `{ ${value} }` };
    });
}

const formatDefault = ({ path, value, isOff }: Entry, keys: readonly Key[]): string => {
  const key = keys.find((each) => each.path.join('.') === path.join('.'));
  const own = key && defaultOf(key.schema);
  if (own === undefined) return value === '' || isOff ? '' : quote(value);
  return quote(
    typeof own === 'object' ? stringify(own, { collectionStyle: 'flow', lineWidth: 0 }).trim() : String(own) || "''",
  );
};

function formatSection(entries: readonly Entry[], keys: readonly Key[], skip: number): string {
  const rows = entries
    .filter(({ about, path }) => about !== '' && path.length > skip)
    .map((entry) => {
      const shown =
        entry.isOff && formatDefault(entry, keys) === '' && entry.value !== '' && !entry.value.includes('{');
      return formatKey(
        entry.path.slice(skip).join('.'),
        formatDefault(entry, keys),
        `${entry.about.replace(/(?:, e\.g\.|:)$/, '.')}${shown ? ` Example: ${quote(entry.value)}` : ''}`,
      );
    });
  const examples = entries
    .filter(({ example }) => example.length > 0)
    .map(({ path, example }) => {
      const indent = Math.min(...example.map((line) => line.search(/\S/)));
      const text = example.map((line) => line.slice(indent)).join('\n');
      return `An example of ${quote(path.slice(skip).join('.'))}:\n\n\`\`\`yaml\n${text}\n\`\`\``;
    });
  return [rows.join('\n'), ...examples].join('\n\n');
}

/** Every key of `config/default.yaml`, by section. */
export function formatConfiguration(): string {
  const keys = keysWith(adapters.memory.settings);
  const entries = joinRepeats(readCommented('config/default.yaml', keys));
  const sections = Object.entries(Object.groupBy(entries, ({ path }) => path[0] ?? ''));
  return sections
    .map(([name, own = []]) => `## ${quote(name)}\n\n${formatSection(own, keys, own.length === 1 ? 0 : 1)}`)
    .join('\n\n');
}

/** The settings of the FHIR adapter, from `config/fhir.yaml`. */
export function formatFhirSettings(): string {
  const keys = keysWith(adapters.fhir.settings);
  const entries = readCommented('config/fhir.yaml', keys);
  return formatSection(joinRepeats(entries.filter(({ path }) => path[1] === 'settings')), keys, 2);
}

/** The settings of an adapter whose schema describes each. */
export function formatSettings(name: 'local' | 'mapping'): string {
  const rows = keysWith(adapters[name].settings)
    .filter(({ path }) => path[0] === 'adapter' && path[1] === 'settings')
    .map(({ path, schema }) => {
      const own = defaultOf(schema);
      const shown = own === undefined || (typeof own === 'object' && !Array.isArray(own)) ? '' : JSON.stringify(own);
      const isShort = shown !== '' && shown.length < 30;
      const given = isShort ? quote(shown.replaceAll('"', '')) : '';
      return formatKey(path.slice(2).join('.'), given, findDescription(schema));
    });
  return rows.join('\n');
}

/** The description of a schema, or of what it wraps. */
function findDescription(schema: z.core.$ZodType): string {
  const { description } = z.globalRegistry.get(schema) ?? {};
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return description ?? (innerType ? findDescription(innerType) : '');
}
