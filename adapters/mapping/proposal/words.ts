import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../../../src/toolkit/package.ts';
import { YamlFile } from '../../../src/toolkit/yaml-file.ts';
import type { SystemTable } from '../sources/sql/tables.ts';

const texts = z.array(z.string());
const schema = z.strictObject({
  meanings: z.record(z.string(), texts),
  composed: z.record(z.string(), z.string()),
  ignored: texts,
  things: z.record(
    z.string(),
    z.strictObject({
      tables: texts,
      /** Tables with additional columns of a record: one row for each record. */
      parts: texts.default([]),
      /** Tables that may have several rows for one record. */
      many: texts.default([]),
      /** Possible tables if none of `tables` exists. */
      perhaps: texts.default([]),
      needs: texts.default([]),
      lacks: texts.default([]),
      fields: z.record(z.string(), texts),
    }),
  ),
  codes: z.record(z.string(), z.array(z.record(z.string(), z.union([z.string(), z.boolean()])))),
  systems: z.record(z.string(), z.strictObject({ tables: texts, example: z.string() })),
});

const file = new YamlFile(join(packageRoot, 'adapters/mapping/proposal/words.yaml'));
/** Names of tables, columns and codes in hospitals. */
export const words: z.output<typeof schema> = schema.parse(file.toJS());

const meaningOf = new Map(
  Object.entries(words.meanings).flatMap(([meaning, names]) => names.map((name) => [name, meaning] as const)),
);
const ignored = new Set(words.ignored);

/** The text in lower case and without accents. */
export const fold = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();

/** The meanings of a word, several for a compound; undefined if unknown. */
function findMeanings(word: string): readonly string[] | undefined {
  const composed = words.composed[word];
  if (composed !== undefined) return composed.split(' ');
  const one = word.replace(/s$/, '');
  const singular = [word, one, word.replace(/es$/, ''), one.replace(/a$/, 'o')];
  const meaning = singular.map((each) => meaningOf.get(each)).find((each) => each !== undefined);
  if (meaning !== undefined) return [meaning];
  return ignored.has(word) ? [] : undefined;
}

const shortWords = /^(id|dt|nr|cd|nm|tp|ds|hc|cp)$/;

/** The meanings of a word that consists of several known ones, such as `fecnac`. */
function splitWord(word: string): readonly string[] | undefined {
  for (let end = word.length - 2; end >= 2; end--) {
    const [head, tail] = [word.slice(0, end), word.slice(end)];
    if (![head, tail].every((each) => each.length > 2 || shortWords.test(each))) continue;
    const first = findMeanings(head);
    const rest = first && (findMeanings(tail) ?? splitWord(tail));
    if (first && rest) return [...first, ...rest];
  }
  return undefined;
}

/** The words of a name: `FechaNacimiento`, `fecha_nacimiento` and `FECHA NACIMIENTO` have two. */
const splitName = (name: string): string[] =>
  fold(name.replaceAll(/(?<=\p{Ll}|\d)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, '_'))
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

/** The meanings of a name; an unknown word is its own meaning. */
export function readMeanings(name: string): ReadonlySet<string> {
  const all = splitName(name).map((word) => findMeanings(word) ?? splitWord(word) ?? [word.replace(/(?<=...)s$/, '')]);
  const found = new Set(all.flat());
  return found.size > 0 ? found : new Set(splitName(name));
}

/** The meanings that a text of `words.yaml` lists. */
export const toMeanings = (text: string): ReadonlySet<string> => new Set(text.trim().split(' '));

export const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && one.isSubsetOf(other);

/** The prefix of most names, such as `pac_`; empty if there is none. */
export function findPrefix(names: readonly string[]): string {
  const prefixes = Map.groupBy(names, (name) => /^([a-z0-9]{1,5}_)(?=.)/i.exec(name)?.[1] ?? '');
  const [prefix = '', having = []] = [...prefixes].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
  const isCommon = names.length > 3 && having.length >= names.length * 0.8;
  return isCommon && !/^(id|cod|nro)_$/i.test(prefix) ? prefix : '';
}

/** The meanings of each table's name, without the common prefix and without dates. */
export function readTableMeanings(tables: readonly SystemTable[]): ReadonlyMap<string, ReadonlySet<string>> {
  const prefix = findPrefix(tables.map(({ name }) => name));
  return new Map(
    tables.map(({ name }) => [name, readMeanings(name.replace(prefix, '')).difference(new Set(['date']))]),
  );
}
