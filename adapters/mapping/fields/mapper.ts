import type { z } from 'zod';
import { badAnswer } from '../../../src/http-client/failures.ts';
import type { Call } from '../../../src/ports/index.ts';
import type { Zone } from '../../../src/toolkit/zone.ts';
import { id, type Name, type Thing } from '../file/names.ts';
import {
  type Conversion,
  type FieldMappings,
  findInner,
  findMapping,
  type Leaf,
  listLeaves,
  listPaths,
  type MappingFile,
  standIns,
  toConversion,
} from '../file/schema.ts';
import { type RecordOf, type ThingName, things } from '../file/things.ts';
import { compileExpression } from '../formats/expression.ts';
import {
  findValue,
  isRecord,
  outer,
  type Scalar,
  type SourceRecord,
  type SourceValue,
  splitPath,
  type Values,
} from '../sources/source.ts';
import { type Converter, createConverter, unfit as doesNotFit, type Surroundings } from './convert.ts';

type Omit = Pick<Call, 'omit'>;

/** Converts between the records of a system and those of the ports. */
export interface Mapper {
  /**
   * Maps records to those of the ports. Rows with the same id become one record, and their lists are merged in order. A
   * list entry without an id is dropped. `call.omit` reports a record that does not match.
   * @throws Failure bad_answer if there were records and none matches.
   */
  read<T extends ThingName>(thing: T, records: readonly SourceRecord[], call: Omit): readonly RecordOf<T>[];
  /**
   * The values of the `:names`, each in every form that the institution may use, the written form first. Undefined if
   * no such record can exist: an id that is not a number with `numeric`, a word without a code.
   */
  toValues(names: Readonly<Record<string, Name>>, given: Readonly<Record<string, unknown>>): Values | undefined;
  /**
   * The id that records show, from the id of a new record in the system's form. Undefined if the field reads more than
   * this one value.
   */
  readId(thing: ThingName, text: string): string | undefined;
}

/**
 * Compiles all fields of the file once.
 * @param zone the institution's zone, for local times that become instants.
 */
export function createMapper(file: MappingFile, zone: Zone): Mapper {
  const surroundings = { codes: file.codes, zone };
  const names = Object.keys(things).filter((name) => file[name as ThingName] !== undefined) as ThingName[];
  const readers = new Map(
    names.map((name) => [name, createRecordReader(things[name].record, file[name]!.fields, surroundings)]),
  );
  const converters = new Map<string, Converter>(names.flatMap((name) => listConverters(name, file, surroundings)));
  const findConverter = ({ field }: Name): Converter | undefined =>
    converters.get(field) ?? converters.get(standIns[field] ?? '');

  return {
    read: <T extends ThingName>(thing: T, records: readonly SourceRecord[], call: Omit) =>
      readRecords(thing, readers.get(thing)!, records, call) as RecordOf<T>[],
    toValues: (wanted, given) => {
      const values: Record<string, readonly Scalar[]> = {};
      for (const [name, meant] of Object.entries(wanted)) {
        const each = [meant.all ? (given[name] ?? []) : given[name]].flat().filter((value) => value !== undefined);
        const written = each.map((value) =>
          write(isOtherDocument(meant, given) ? undefined : findConverter(meant), value, meant),
        );
        if (written.some((ways) => ways.length === 0)) return undefined;
        values[name] = meant.all ? written.map(([first]) => first!) : written.flat();
      }
      return values;
    },
    readId: (thing, text) => {
      const mapping = findMapping(file[thing]?.fields ?? {}, ['id']);
      const { length } = mapping === undefined ? [] : listPaths(toConversion(mapping));
      const read = length === 1 ? converters.get(`${thing}.id`)?.read(text.trim()) : undefined;
      return id.safeParse(read).data;
    },
  };
}

/** The converter of each field with a value, by `thing.field`. */
const listConverters = (name: ThingName, file: MappingFile, surroundings: Surroundings) =>
  listLeaves(things[name].record).flatMap((leaf) => {
    const mapping = findMapping(file[name]!.fields, leaf.path);
    if (mapping === undefined) return [];
    const converter = createConverter(leaf, toConversion(mapping), surroundings);
    return [[`${name}.${leaf.path.join('.')}`, converter] as const];
  });

/** `digits` applies only to documents that may be a DNI. */
const isOtherDocument = ({ field }: Name, { identifierType = 'DNI' }: Readonly<Record<string, unknown>>): boolean =>
  field === 'patients.identifier.value' && identifierType !== 'DNI';

function write(converter: Converter | undefined, value: unknown, { part }: Name): readonly Scalar[] {
  if (value === null) return [value];
  if (converter) return converter.write(value, part);
  return [typeof value === 'number' || typeof value === 'boolean' ? value : String(value)];
}

/** True for a row without any value, e.g. of an outer join that found nothing. */
const isEmpty = (record: SourceRecord): boolean =>
  Object.values(record).every((value) => value === null || (typeof value === 'string' && value.trim() === ''));

/** Merges several rows of one record. Lists get each entry once, and other fields keep the first value. */
function merge(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) return mergeLists([first, second].flat());
  if (!isDraft(first) || !isDraft(second)) return first ?? second;
  return {
    ...second,
    ...Object.fromEntries(Object.entries(first).map(([name, value]) => [name, mergeField(value, second[name])])),
  };
}

const isDraft = (value: unknown): value is RecordDraft => typeof value === 'object' && value !== null;
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** An address or a document is that of one row, so that no part of another one completes it. Its lists are merged. */
function mergeField(first: unknown, second: unknown): unknown {
  if (!isDraft(first) || !isDraft(second) || isList(first) || isList(second)) return merge(first, second);
  const [whole, other] = weigh(first) >= weigh(second) ? [first, second] : [second, first];
  const lists = Object.keys({ ...first, ...second }).filter((name) => isList(first[name]) && isList(second[name]));
  const unlisted = Object.entries(other).filter(([name, value]) => isList(value) && !Object.hasOwn(whole, name));
  return {
    ...whole,
    ...Object.fromEntries(unlisted),
    ...Object.fromEntries(lists.map((name) => [name, merge(first[name], second[name])])),
  };
}

/** A row with the number of a document counts more than one with its type, and either more than none. */
const weigh = (draft: RecordDraft): number =>
  identify(draft) === undefined ? Number(Object.values(draft).some((value) => !isList(value))) : 2;

function mergeLists(entries: readonly RecordDraft[]): readonly unknown[] {
  const merged = new Map<unknown, unknown>();
  for (const entry of entries) merged.set(identify(entry), merge(merged.get(identify(entry)), entry));
  return [...merged.values()];
}

/** An entry of the directory has the id of its location. */
const getId = ({ id, ...draft }: RecordDraft, record: z.ZodObject): unknown =>
  'id' in record.shape ? id : (draft.location as RecordDraft | undefined)?.id;

function readRecords(thing: ThingName, read: RecordReader, records: readonly SourceRecord[], call: Omit): unknown[] {
  const { record, sharesIds, widest, closedBy = '', complete = (draft) => draft }: Thing = things[thing];
  const found = new Map<unknown, { readonly draft: RecordDraft; readonly unfit: readonly string[] }>();
  for (const each of records) {
    if (isEmpty(each)) continue;
    const unfit: string[] = [];
    const draft = read(each, unfit);
    // A row without an id is a separate record, and so is a row of a thing whose records share ids.
    const key = (sharesIds ? undefined : getId(draft, record)) ?? Symbol();
    const earlier = found.get(key);
    const all = [...(earlier?.unfit ?? []), ...unfit];
    const merged = merge(earlier?.draft, draft) as RecordDraft;
    const isClosed = earlier?.draft[closedBy] === false || draft[closedBy] === false;
    found.set(key, { draft: isClosed ? { ...merged, [closedBy]: false } : merged, unfit: all });
  }
  const fitting = [...found.values()].flatMap(({ draft, unfit }) => {
    const { data, error } = record.safeParse(complete(draft));
    const faults = (error?.issues ?? []).map(({ path }) => path.filter((part) => typeof part === 'string').join('/'));
    const elements = [...unfit, ...faults];
    const [element] = elements;
    if (element === undefined) return [data];
    const id = getId(draft, record);
    call.omit({ resourceType: thing, element }, id === undefined ? undefined : String(id));
    return widest
      ? [Object.fromEntries([draft, ...elements.map((each) => widest[each] ?? {})].flatMap(Object.entries<unknown>))]
      : [];
  });
  if (found.size > 0 && fitting.length === 0) throw badAnswer(thing);
  return fitting;
}

/** A record of the port with the fields that could be read. */
type RecordDraft = Readonly<Record<string, unknown>>;
/** @param unfit receives the paths of the fields that do not match. */
type FieldReader = (record: SourceRecord, unfit: string[]) => unknown;
type RecordReader = (record: SourceRecord, unfit: string[]) => RecordDraft;

function createRecordReader(record: z.ZodObject, fields: FieldMappings, surroundings: Surroundings): RecordReader {
  const leaves = new Map(listLeaves(record).map((leaf) => [leaf.path.join('.'), leaf]));

  const compileFields = (
    inner: z.ZodObject,
    above: readonly string[],
    mapped: FieldMappings,
    isZipped: boolean,
  ): RecordReader => {
    const readers = Object.entries<z.core.$ZodType>(inner.shape).flatMap(
      ([name, schema]): (readonly [string, FieldReader])[] => {
        const mapping = mapped[name];
        if (mapping === undefined) return [];
        const path = [...above, name];
        const further = findInner(schema);
        if (!further) return [[name, compileLeaf(leaves.get(path.join('.'))!, toConversion(mapping))]];
        if (!further.isList) return [[name, compileFields(further.record, path, mapping as FieldMappings, isZipped)]];
        const entries = compileEntries(listLeaves(further.record), mapping as FieldMappings, isZipped);
        const read = compileFields(further.record, path, mapping as FieldMappings, entries.isZipped);
        const readAll: FieldReader = (source, unfit) =>
          entries
            .find(source)
            .map((entry) => read(entry, unfit))
            .filter((draft) => identify(draft) !== undefined);
        return [[name, readAll]];
      },
    );
    return (source, unfit) => {
      const draft: Record<string, unknown> = {};
      for (const [name, read] of readers) {
        const value = read(source, unfit);
        if (value !== undefined) draft[name] = value;
      }
      return draft;
    };
  };

  const compileLeaf = (leaf: Leaf, conversion: Conversion): FieldReader => {
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

/** Reads the text of a field. Undefined if the value is not a text. */
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

/** The position of a list's entries: records at their common path, or parallel lists of values. */
function compileEntries(leaves: readonly Leaf[], fields: FieldMappings, isZipped: boolean) {
  const conversions = leaves.flatMap(({ path }) => {
    const mapping = findMapping(fields, path);
    return mapping === undefined ? [] : [toConversion(mapping)];
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

/** The identity of a list entry. Undefined if the entry is dropped. */
const identify = ({ id, value }: RecordDraft): unknown => id ?? value;

/** The text of a value. Texts of a list are joined. Undefined for a record. */
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

function findCommonNames(paths: readonly string[]): readonly string[] {
  const [first = [], ...others] = paths.map((path) => (path.startsWith(outer) ? [] : splitPath(path).slice(0, -1)));
  const end = first.findIndex((name, i) => others.some((other) => other[i] !== name));
  return end === -1 ? first : first.slice(0, end);
}

/**
 * Creates one record for each position in the lists at the paths. A path without a list has the same value in all of
 * them.
 * @param separators the texts that split a value into a list, by path.
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
