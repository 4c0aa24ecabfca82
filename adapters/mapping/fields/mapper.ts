import type { z } from 'zod';
import { badAnswer } from '../../../src/http-client/failures.ts';
import type { Call } from '../../../src/ports/index.ts';
import type { Zone } from '../../../src/toolkit/zone.ts';
import { type FieldMapping, findMapping, listLeaves, toConversion } from '../file/field.ts';
import type { Name, Thing } from '../file/names.ts';
import type { MappingFile } from '../file/schema.ts';
import { standIns } from '../file/schema.ts';
import { type RecordOf, type ThingName, things } from '../file/things.ts';
import type { Scalar, SourceRecord, Values } from '../sources/source.ts';
import { type Converter, createConverter, type Surroundings } from './convert.ts';
import { createRecordReader, identify, type RecordDraft, type RecordReader } from './record-reader.ts';

type Omit = Pick<Call, 'omit' | 'identifyOmitted'>;

/** Between the records of a system and those of the ports. */
export interface Mapper {
  /**
   * The records as the ports use them. Rows with one id are one record, whose lists merge in their order; an entry of a
   * list without id is none. `call.omit` tells each one that does not fit.
   * @throws Failure bad_answer when there were records and none fits.
   */
  read<T extends ThingName>(thing: T, records: readonly SourceRecord[], call: Omit): readonly RecordOf<T>[];
  /**
   * What stands behind the `:names`, in every way in which the institution may write it, the first one to be written.
   * Undefined when what is asked for cannot exist there: an id that is no number where the file says `numeric`, a word
   * without a code.
   */
  toValues(names: Readonly<Record<string, Name>>, given: Readonly<Record<string, unknown>>): Values | undefined;
}

/**
 * Compiles all fields of the file once.
 * @param zone that of the institution, for local times that become instants.
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
  };
}

/** The converter of each field of a thing that holds a value, by `thing.field`. */
const listConverters = (name: ThingName, file: MappingFile, surroundings: Surroundings) =>
  listLeaves(things[name].record).flatMap((leaf) => {
    const mapping = findMapping(file[name]!.fields, leaf.path);
    if (mapping === undefined) return [];
    const converter = createConverter(leaf, toConversion(mapping as FieldMapping), surroundings);
    return [[`${name}.${leaf.path.join('.')}`, converter] as const];
  });

/** Of documents, only those that are or may be a DNI have `digits`. */
const isOtherDocument = ({ field }: Name, { identifierType = 'DNI' }: Readonly<Record<string, unknown>>): boolean =>
  field === 'patients.identifier.value' && identifierType !== 'DNI';

function write(converter: Converter | undefined, value: unknown, { part }: Name): readonly Scalar[] {
  if (value === null) return [value];
  if (converter) return converter.write(value, part);
  return [typeof value === 'number' || typeof value === 'boolean' ? value : String(value)];
}

/** Of several rows of one record what each list has, each entry once; else what the first one has. */
function merge(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) return mergeLists([...first, ...second]);
  if (typeof first !== 'object' || typeof second !== 'object' || !first || !second) return first ?? second;
  const other = second as RecordDraft;
  return {
    ...second,
    ...Object.fromEntries(Object.entries(first).map(([name, value]) => [name, merge(value, other[name])])),
  };
}

function mergeLists(entries: readonly RecordDraft[]): readonly unknown[] {
  const merged = new Map<unknown, unknown>();
  for (const entry of entries) merged.set(identify(entry), merge(merged.get(identify(entry)), entry));
  return [...merged.values()];
}

/** An entry of the directory has the id of its location. */
const getId = ({ id, ...draft }: RecordDraft, record: z.ZodObject): unknown =>
  'id' in record.shape ? id : (draft.location as RecordDraft | undefined)?.id;

function readRecords(thing: ThingName, read: RecordReader, records: readonly SourceRecord[], call: Omit): unknown[] {
  const { record, sharesIds, widest, complete = (draft) => draft }: Thing = things[thing];
  const found = new Map<unknown, { readonly draft: RecordDraft; readonly unfit: readonly string[] }>();
  for (const each of records) {
    const unfit: string[] = [];
    const draft = read(each, unfit);
    // Rows without an id, and those of things whose ids several records have, are records of their own.
    const key = (sharesIds ? undefined : getId(draft, record)) ?? Symbol();
    const earlier = found.get(key);
    const all = [...(earlier?.unfit ?? []), ...unfit];
    found.set(key, { draft: merge(earlier?.draft, draft) as RecordDraft, unfit: all });
  }
  const fitting = [...found.values()].flatMap(({ draft, unfit }) => {
    const { data, error } = record.safeParse(complete(draft));
    const faults = (error?.issues ?? []).map(({ path }) => path.filter((part) => typeof part === 'string').join('/'));
    const elements = [...unfit, ...faults];
    const [element] = elements;
    if (element === undefined) return [data];
    const omitted = { resourceType: thing, element };
    call.omit(omitted);
    const id = getId(draft, record);
    if (id !== undefined) call.identifyOmitted?.(omitted, String(id));
    return widest ? [Object.assign({}, draft, ...elements.map((each) => widest[each]))] : [];
  });
  if (records.length > 0 && fitting.length === 0) throw badAnswer(thing);
  return fitting;
}
