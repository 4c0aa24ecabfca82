import type { z } from 'zod';
import {
  type Conversion,
  type FieldMapping,
  type Fields,
  findMapping,
  listPaths,
  toConversion,
} from '../file/field.ts';
import { findInner, type Leaf, listLeaves } from '../file/leaves.ts';
import { compileExpression } from '../formats/expression.ts';
import { findValue, type SourceRecord, type SourceValue } from '../sources/source.ts';
import { createConverter, unfit as doesNotFit, type Surroundings } from './convert.ts';
import { findCommonNames, toText, zip } from './paths.ts';

/** A record of the port, as far as its fields could be read. */
export type Draft = Readonly<Record<string, unknown>>;
/** @param unfit takes the paths of the fields that do not fit. */
type Reader = (record: SourceRecord, unfit: string[]) => unknown;
export type RecordReader = (record: SourceRecord, unfit: string[]) => Draft;

/** Reads records by the fields of the file, which are compiled once. */
export function createRecordReader(record: z.ZodObject, fields: Fields, surroundings: Surroundings): RecordReader {
  const leaves = new Map(listLeaves(record).map((leaf) => [leaf.path.join('.'), leaf]));

  const compileFields = (
    inner: z.ZodObject,
    above: readonly string[],
    mapped: Fields,
    isZipped: boolean,
  ): RecordReader => {
    const readers = Object.entries(inner.shape).flatMap(([name, schema]): (readonly [string, Reader])[] => {
      const mapping = mapped[name];
      if (mapping === undefined) return [];
      const path = [...above, name];
      const further = findInner(schema);
      if (!further) return [[name, compileLeaf(leaves.get(path.join('.'))!, toConversion(mapping as FieldMapping))]];
      if (!further.isList) return [[name, compileFields(further.record, path, mapping as Fields, isZipped)]];
      const entries = compileEntries(listLeaves(further.record), mapping as Fields, isZipped);
      const read = compileFields(further.record, path, mapping as Fields, entries.isZipped);
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
function compileEntries(leaves: readonly Leaf[], fields: Fields, isZipped: boolean) {
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
export const identify = ({ id, value }: Draft): unknown => id ?? value;
