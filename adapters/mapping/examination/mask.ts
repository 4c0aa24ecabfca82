import { getFields } from '../../../src/toolkit/records.ts';
import { type Conversion, findMapping, type Leaf, listLeaves, type MappingFile, toConversion } from '../file/schema.ts';
import { type ThingName, things } from '../file/things.ts';
import type { HttpSettings } from '../sources/http/schema.ts';
import type { SourceExchange } from '../sources/source.ts';

/** The text with its letters and digits masked: `FERREYRA, Ana 31` is `XXXXXXXX, Xxx 00`. */
export const mask: Replace = (text) =>
  text.replaceAll(/\p{Lu}|\p{L}|\p{N}/gu, (found) => (/\p{N}/u.test(found) ? '0' : /\p{Lu}/u.test(found) ? 'X' : 'x'));

/** Replaces a text. */
export type Replace = (text: string) => string;

const words = Object.values(things)
  .flatMap(({ record }) => listLeaves(record))
  .flatMap((leaf) => leaf.words);

/**
 * Keeps texts that identify nobody: codes and their words, and texts for absent values. All other texts are replaced.
 */
export function exceptCodes(file: MappingFile, replace: Replace): Replace {
  const known = new Set([...words, ...listCodes(file)]);
  return (text) => (known.has(text.trim()) ? text : replace(text));
}

function listCodes(file: MappingFile): readonly string[] {
  const conversions = (Object.keys(things) as ThingName[])
    .flatMap((thing) => listFields(file, thing))
    .map(({ conversion }) => conversion);
  const tables = [
    ...Object.values(file.codes),
    ...conversions.map(({ codes }) => (typeof codes === 'object' ? codes : {})),
  ];
  const empty = conversions.flatMap(({ none = [] }) => none.map(String));
  const { meaning = {}, good = [] } = file.http?.errors ?? {};
  const errors = listDefinitions(file).map((definition) => definition.errors ?? {});
  const filters = [...JSON.stringify(conversions).matchAll(/\[[^[\]=]+=([^[\]]+)\]/g)].map(([, value = '']) => value);
  return [...[...tables, meaning, ...errors].flatMap(Object.keys), ...empty, ...good.map(String), ...filters];
}

/** The fields of a thing in the file. */
export const listFields = (file: MappingFile, thing: ThingName): readonly { leaf: Leaf; conversion: Conversion }[] =>
  listLeaves(things[thing].record).flatMap((leaf) => {
    const mapping = findMapping(file[thing]?.fields ?? {}, leaf.path);
    return mapping === undefined ? [] : [{ leaf, conversion: toConversion(mapping) }];
  });

/**
 * The names of page and record counts in answers. Cursors and links are not included, because they may contain
 * criteria.
 */
const listCountNames = (file: MappingFile): ReadonlySet<string> =>
  new Set(
    listDefinitions(file)
      .flatMap(({ pages: { count, total } = {} }) => [count, total])
      .flatMap((path) => (typeof path === 'string' ? path.split('.').slice(-1) : [])),
  );

interface MaskedDefinition {
  readonly errors?: Readonly<Record<string, unknown>>;
  readonly pages?: { readonly count?: unknown; readonly total?: unknown };
}

const listDefinitions = (file: MappingFile): readonly MaskedDefinition[] =>
  (Object.keys(things) as ThingName[]).flatMap((thing) => Object.values(file[thing] ?? {}).map(getFields));

/** Replaces each text and number in a value. */
export function replaceTexts(value: unknown, replace: Replace): unknown {
  if (typeof value === 'string' || typeof value === 'number') return replace(String(value));
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaceTexts(each, replace)]));
}

/** Replaces each value in an answer of the system. Names, structure and codes stay the same. */
export function replaceAnswer({ answer, status }: SourceExchange, file: MappingFile, replace: Replace): string {
  const counts = listCountNames(file);
  const replaceNamed: ReplaceNamed = (text, name) =>
    counts.has(name) && /^\d{1,5}$/.test(text) ? text : replace(text);
  const { answers = 'json', separator = ',' } = file.http ?? {};
  return formats[status === undefined ? 'json' : answers](answer, replaceNamed, separator);
}

type ReplaceNamed = (text: string, name: string) => string;

const jsonToken = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?/g;
const xmlToken = /<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<(\/?[\w:.-]+)([^>]*)>|[^<]+/g;
const reference = /&[#\w]+;/g;

const formats: Readonly<
  Record<HttpSettings['answers'], (answer: string, replace: ReplaceNamed, separator: string) => string>
> = {
  json: (answer, replace) => {
    if (!isJson(answer)) return replace(answer, '');
    let name = '';
    return answer.replace(jsonToken, (found: string, quoted?: string, colon?: string) => {
      if (quoted !== undefined && colon !== undefined) {
        name = String(JSON.parse(quoted));
        return found;
      }
      return quoted === undefined ? replace(found, name) : JSON.stringify(replace(String(JSON.parse(quoted)), name));
    });
  },
  xml: (answer, replace) => {
    let name = '';
    const write = (text: string, at: string) => (text.trim() === '' ? text : replace(text.replace(reference, 'x'), at));
    return answer.replace(xmlToken, (found: string, data?: string, tag?: string, attributes?: string) => {
      if (data !== undefined) return `<![CDATA[${write(data, name)}]]>`;
      if (found.startsWith('<!--')) return '';
      if (tag === undefined) return found.startsWith('<?') ? found : write(found, name);
      name = tag.slice(tag.indexOf(':') + 1);
      const replaced = attributes?.replace(
        /([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')/g,
        (attribute: string, key: string, value: string) =>
          /^(xmlns|xsi)(:|$)/.test(key) ? attribute : `${key}="${write(value.slice(1, -1), key)}"`,
      );
      return `<${tag}${replaced ?? ''}>`;
    });
  },
  csv: (answer, replace, separator) => {
    const [head = '', ...rows] = answer.split('\n');
    const cell = new RegExp(`[^"\\r${RegExp.escape(separator)}]+`, 'g');
    return [head, ...rows.map((row) => row.replace(cell, (text) => replace(text, '')))].join('\n');
  },
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
