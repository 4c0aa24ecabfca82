import type { z } from 'zod';
import {
  type Conversion,
  type FieldMapping,
  type FieldMappings,
  findInner,
  findMapping,
  type Leaf,
  listLeaves,
  listPaths,
  toConversion,
} from '../file/field.ts';
import { compileExpression } from '../formats/expression.ts';
import { findValue, isRecord, outer, type SourceRecord, type SourceValue, splitPath } from '../sources/source.ts';
import { createConverter, unfit as doesNotFit, type Surroundings } from './convert.ts';

/** A record of the port, as far as its fields could be read. */
export type RecordDraft = Readonly<Record<string, unknown>>;
/** @param unfit takes the paths of the fields that do not fit. */
type Reader = (record: SourceRecord, unfit: string[]) => unknown;
export type RecordReader = (record: SourceRecord, unfit: string[]) => RecordDraft;

/** Reads records by the fields of the file, which are compiled once. */
export function createRecordReader(
  record: z.ZodObject,
  fields: FieldMappings,
  surroundings: Surroundings,
): RecordReader {
  const leaves = new Map(listLeaves(record).map((leaf) => [leaf.path.join('.'), leaf]));

  const compileFields = (
    inner: z.ZodObject,
    above: readonly string[],
    mapped: FieldMappings,
    isZipped: boolean,
  ): RecordReader => {
    const readers = Object.entries(inner.shape).flatMap(([name, schema]): (readonly [string, Reader])[] => {
      const mapping = mapped[name];
      if (mapping === undefined) return [];
      const path = [...above, name];
      const further = findInner(schema);
      if (!further) return [[name, compileLeaf(leaves.get(path.join('.'))!, toConversion(mapping as FieldMapping))]];
      if (!further.isList) return [[name, compileFields(further.record, path, mapping as FieldMappings, isZipped)]];
      const entries = compileEntries(listLeaves(further.record), mapping as FieldMappings, isZipped);
      const read = compileFields(further.record, path, mapping as FieldMappings, entries.isZipped);
      const readAll: Reader = (source, unfit) =>
        entries
          .find(source)
          .map((entry) => read(entry, unfit))
          .filter((draft) => identify(draft) !== undefined);
      return [[name, readAll]];
    });
    return (source, unfit) => {
      const draft: Record<string, unknown> = {};
      for (const [name, read] of readers) {
        const value = read(source, unfit);
        if (value !== undefined) draft[name] = value;
      }
      return draft;
    };
  };

  const compileLeaf = (leaf: Leaf, conversion: Conversion): Reader => {
    const converter = createConverter(leaf, conversion, surroundings);
    const path = leaf.path.join('/');
    const find = compileSource(conversion);
    return (source, unfit) => {
      const text = find(source);
      const value = text === undefined ? doesNotFit : converter.read(text);
      if (value !== doesNotFit) return value;
      unfit.push(path);
      return undefined;
    };
  };

  return compileFields(record, [], fields, false);
}

/** Where the text of a field comes from; undefined when there is what is no text. */
function compileSource(conversion: Conversion): (record: SourceRecord) => string | undefined {
  const { value, expression, join = ' ' } = conversion;
  if (value !== undefined) return () => String(value ?? '');
  if (expression === undefined) {
    const paths = listPaths(conversion);
    const list = (record: SourceRecord) => paths.map((path) => findValue(record, path) ?? null);
    return (record) => toText(list(record), join);
  }
  const evaluate = compileExpression(expression);
  return (record) => {
    try {
      return toText(evaluate(record), join);
    } catch {
      // Its message may repeat a value of the record.
      return undefined;
    }
  };
}

/** Where the entries of a list stand: in records at what their paths have in common, or beside each other in lists of values. */
function compileEntries(leaves: readonly Leaf[], fields: FieldMappings, isZipped: boolean) {
  const conversions = leaves.flatMap(({ path }) => {
    const mapping = findMapping(fields, path);
    return mapping === undefined ? [] : [toConversion(mapping as FieldMapping)];
  });
  const paths = conversions.flatMap(listPaths);
  const separators = Object.fromEntries(
    conversions.flatMap((each) => (each.split === undefined ? [] : listPaths(each).map((path) => [path, each.split!]))),
  );
  const names = isZipped || Object.keys(separators).length > 0 ? [] : findCommonNames(paths);
  if (names.length === 0) {
    return { isZipped: true, find: (record: SourceRecord) => zip(record, paths, separators) };
  }
  const find = (record: SourceRecord): readonly SourceRecord[] =>
    [findValue(record, names.join('.')) ?? []]
      .flat()
      .map((entry) => names.reduceRight<SourceValue>((inner, name) => ({ [name]: inner }), entry) as SourceRecord);
  return { isZipped: false, find };
}

/** What tells the entries of a list apart; undefined for what counts as none. */
export const identify = ({ id, value }: RecordDraft): unknown => id ?? value;

/** The text of a value, those of a list joined; undefined where it is a record that is no text. */
function toText(value: SourceValue | undefined, separator: string): string | undefined {
  if (typeof value === 'string') return value.trim();
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) {
    const texts = (value as readonly SourceValue[]).map((each) => toText(each, separator));
    return texts.includes(undefined) ? undefined : texts.filter(Boolean).join(separator);
  }
  if (!isRecord(value)) return String(value);
  return Object.hasOwn(value, '#text') ? toText(value['#text'], separator) : undefined;
}

/** The names before the last one that all paths have in common, e.g. `A` and `B` of `A.B.C` and `A.B.D.E`. */
function findCommonNames(paths: readonly string[]): readonly string[] {
  const [first = [], ...others] = paths.map((path) => (path.startsWith(outer) ? [] : splitPath(path).slice(0, -1)));
  const end = first.findIndex((name, i) => others.some((other) => other[i] !== name));
  return end === -1 ? first : first.slice(0, end);
}

/**
 * One record for each place in the lists that stand at the paths: what has no list is the same in all of them.
 * @param separators what parts a text at a path into a list.
 */
function zip(record: SourceRecord, paths: readonly string[], separators: Readonly<Record<string, string>>) {
  const columns = paths.map((path) => {
    const value = findValue(record, path);
    const separator = separators[path];
    const parted = separator === undefined ? value : toText(value, separator)?.split(separator);
    return [path, parted ?? null] as const;
  });
  const length = Math.max(1, ...columns.map(([, value]) => (Array.isArray(value) ? value.length : 1)));
  return Array.from({ length }, (_, i) =>
    Object.fromEntries<SourceValue>([
      ...Object.entries(record),
      ...columns.map(
        ([path, value]) =>
          [path, Array.isArray(value) ? ((value as readonly SourceValue[])[i] ?? null) : value] as const,
      ),
    ]),
  );
}
