import type { Conversion } from '../file/field.ts';
import type { MappingFile } from '../file/schema.ts';

/** The table that a field names, or has written out; undefined when it has none. Codes and words are texts. */
export function findCodes(
  { codes }: Conversion,
  tables: MappingFile['codes'],
): ReadonlyMap<string, string> | undefined {
  const table = typeof codes === 'string' ? tables[codes] : codes;
  return table && new Map(Object.entries(table).map(([code, word]) => [code, String(word)]));
}

/** All codes of a word, the one to be written first; none when it has no code. */
export const listCodes = (codes: ReadonlyMap<string, string>, word: string): readonly string[] =>
  [...codes].flatMap(([code, each]) => (each === word ? [code] : []));
