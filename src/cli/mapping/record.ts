import { randomInt } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import {
  type Conversion,
  type FieldMapping,
  findMapping,
  type Leaf,
  listLeaves,
  type MappingFile,
  toConversion,
} from '../../../adapters/mapping/file/schema.ts';
import { type ThingName, things } from '../../../adapters/mapping/file/things.ts';
import { createMomentReader, findPart, formatMoment } from '../../../adapters/mapping/formats/date-pattern.ts';
import type { HttpSettings } from '../../../adapters/mapping/sources/http/schema.ts';
import type { SourceExchange } from '../../../adapters/mapping/sources/source.ts';
import { ConfigProblems } from '../../toolkit/problems.ts';
import { formatYaml } from '../../toolkit/yaml-file.ts';
import { checkNames, complete, findEntry, type Given, type Located, load, run, use } from './open.ts';
import { play, TestFile } from './test-file.ts';

/**
 * Asks a question, and adds it to a file of tests with invented values.
 * @throws ConfigProblems when nothing is recorded: it is a change, or the system did not answer.
 */
export async function record({ path, institution }: Located, text: string, given: Given, out: string): Promise<void> {
  const file = load(path);
  const entry = findEntry(text, file);
  checkNames(given, entry);
  if (entry.isChange) throw new ConfigProblems([`${text} changes something; only questions are recorded`]);
  if (existsSync(out)) new TestFile(out);
  const { asked, exchanges, fails } = await use(file, institution, async (hospital) => {
    const asked = complete(given, entry, hospital.zone.toLocalDay(new Date().toISOString()));
    return { ...(await run(hospital, entry, asked)), asked };
  });
  const answered = exchanges.filter(({ sent }) => sent !== getLogin(file));
  if (answered.length === 0)
    throw new ConfigProblems([`${text} has no answer that can be recorded: ${fails ?? 'nothing was sent'}`]);

  const invent = exceptCodes(file, createInvention(file));
  const answers = answered.map((exchange) => replaceAnswer(exchange, file, invent));
  const [{ status } = {}] = answered;
  const source =
    status === undefined
      ? { rows: JSON.parse(answers[0]!) as Record<string, string | null>[] }
      : { answer: answers.length === 1 ? answers[0]! : answers, ...(status !== 200 && { status }) };
  const test = { ask: text, with: replaceTexts(asked, invent) as Given, ...source };
  const { exchanges: played, gives, omitted, fails: failed } = await play(test, file, institution);
  if (failed !== fails)
    throw new ConfigProblems([`${text} is not recorded: it fails once its values are invented ones`]);
  const sent = played.map((each) => each.sent);
  const recorded = {
    name: `${text}, recorded; its values are invented`,
    ...test,
    sent: sent.length === 1 ? sent[0]! : sent,
    ...(gives !== undefined && { gives }),
    ...(omitted.length > 0 && { leavesOut: omitted.map(({ element }) => element) }),
    ...(failed !== undefined && { fails: failed }),
  };
  appendFileSync(out, formatYaml([recorded]));
}

const getLogin = ({ http }: MappingFile): string | undefined =>
  http?.login.kind === 'session' ? http.login.request : undefined;

/** The text with its letters and digits hidden: `FERREYRA, Ana 31` is `XXXXXXXX, Xxx 00`. */
export const mask: Replace = (text) =>
  replaceCharacters(text, { capital: () => 'X', small: () => 'x', digit: () => '0' });

/**
 * Invents texts of the same shape: a letter for a letter, a digit for a digit, a day or time that exists for one that the
 * file can read. The same text becomes the same one each time.
 */
export function createInvention(file: MappingFile): Replace {
  const patterns = listPatterns(file);
  const invented = new Map<string, string>();
  return (text) => {
    const found = invented.get(text) ?? inventTime(text, patterns) ?? replaceCharacters(text, random);
    invented.set(text, found);
    return found;
  };
}

interface Characters {
  readonly capital: () => string;
  readonly small: () => string;
  readonly digit: (isFirst: boolean) => string;
}

/** A zero in front stays one: it says how numbers are written. */
const replaceCharacters = (text: string, { capital, small, digit }: Characters): string =>
  text.replaceAll(/\p{Lu}|\p{L}|\p{N}/gu, (found, at: number) => {
    if (!/\p{N}/u.test(found)) return /\p{Lu}/u.test(found) ? capital() : small();
    const isFirst = !/\p{N}$/u.test(text.slice(0, at));
    return isFirst && found === '0' ? found : digit(isFirst);
  });

const pick = (from: string): string => from.charAt(randomInt(from.length));
const random: Characters = {
  capital: () => pick('ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
  small: () => pick('abcdefghijklmnopqrstuvwxyz'),
  digit: (isFirst) => String(randomInt(isFirst ? 1 : 0, 10)),
};

const isoPatterns = ['yyyy-MM-dd', 'HH:mm', 'HH:mm:ss', 'yyyy-MM-dd HH:mm', 'yyyy-MM-dd HH:mm:ss'];

/** All ways in which the file reads days and times, and their parts, which may stand in columns of their own. */
function listPatterns(file: MappingFile): readonly string[] {
  const formats = (Object.keys(things) as ThingName[])
    .flatMap((thing) => listFields(file, thing))
    .flatMap(({ conversion: { format } }) => format ?? []);
  const parts = formats.flatMap((format) => [findPart(format, 'day') ?? [], findPart(format, 'time') ?? []].flat());
  const iso = isoPatterns.flatMap((pattern) => [pattern, pattern.replace(' ', 'T')]);
  return [...new Set([...formats, ...parts, ...iso])];
}

/** Undefined when the text is no day or time; fractions of a second and an offset stay as they are. */
function inventTime(text: string, patterns: readonly string[]): string | undefined {
  const [end = ''] = /(?<=:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  const local = text.slice(0, text.length - end.length);
  for (const pattern of patterns) {
    const read = createMomentReader(pattern)(local);
    if (read?.local) return formatMoment(pattern, { ...read, local: inventLocal(read.local) }) + end;
  }
  return undefined;
}

/** No part begins with a zero: `1010` may be the time 10:10 or a number, which has none in front in JSON. */
const inventLocal = (local: string): string =>
  `${local.slice(0, 3)}${randomInt(10)}-${randomInt(10, 13)}-${randomInt(10, 29)}T${randomInt(10, 20)}:${randomInt(10, 60)}:00`;

/** Another text in the place of one. */
export type Replace = (text: string) => string;

const words = Object.values(things)
  .flatMap(({ record }) => listLeaves(record))
  .flatMap((leaf) => leaf.words);

/** Leaves what is of nobody: codes and their words, and what means that nothing is there. All other texts are replaced. */
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

/** The fields that the file has of a thing. */
export const listFields = (file: MappingFile, thing: ThingName): readonly { leaf: Leaf; conversion: Conversion }[] =>
  listLeaves(things[thing].record).flatMap((leaf) => {
    const mapping = findMapping(file[thing]?.fields ?? {}, leaf.path);
    return mapping === undefined ? [] : [{ leaf, conversion: toConversion(mapping as FieldMapping) }];
  });

/** Where answers say how many pages or records there are. Cursors and links may hold what was asked for. */
const listCountNames = (file: MappingFile): ReadonlySet<string> =>
  new Set(
    listDefinitions(file)
      .flatMap(({ pages: { count, total } = {} }) => [count, total])
      .flatMap((path) => (typeof path === 'string' ? path.split('.').slice(-1) : [])),
  );

interface Definition {
  readonly errors?: Readonly<Record<string, unknown>>;
  readonly pages?: { readonly count?: unknown; readonly total?: unknown };
}

const listDefinitions = (file: MappingFile): readonly Definition[] =>
  (Object.keys(things) as ThingName[]).flatMap((thing) => Object.values(file[thing] ?? {}).map(Object));

/** A value with another text in the place of each text and number in it. */
export function replaceTexts(value: unknown, replace: Replace): unknown {
  if (typeof value === 'string' || typeof value === 'number') return replace(String(value));
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaceTexts(each, replace)]));
}

/** An answer of the system with another text for each value. Names, structure and what is of nobody stay. */
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
        name = JSON.parse(quoted);
        return found;
      }
      return quoted === undefined ? replace(found, name) : JSON.stringify(replace(JSON.parse(quoted), name));
    });
  },
  xml: (answer, replace) => {
    let name = '';
    const write = (text: string, at: string) => (text.trim() === '' ? text : replace(text.replace(reference, 'x'), at));
    return answer.replace(xmlToken, (found: string, data?: string, tag?: string, attributes = '') => {
      if (data !== undefined) return `<![CDATA[${write(data, name)}]]>`;
      if (found.startsWith('<!--')) return '';
      if (tag === undefined) return found.startsWith('<?') ? found : write(found, name);
      name = tag.slice(tag.indexOf(':') + 1);
      const replaced = attributes.replace(
        /([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')/g,
        (attribute: string, key: string, value: string) =>
          /^(xmlns|xsi)(:|$)/.test(key) ? attribute : `${key}="${write(value.slice(1, -1), key)}"`,
      );
      return `<${tag}${replaced}>`;
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
