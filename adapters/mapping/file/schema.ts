import { z } from 'zod';
import { http, httpChange, httpQuestion } from '../sources/http/schema.ts';
import { keep } from '../sources/source.ts';
import { database, sqlChange, sqlQuestion } from '../sources/sql/schema.ts';
import { listKeyNames } from './keys.ts';
import type { Name } from './names.ts';
import { type ChangeOf, type QuestionOf, type ThingName, things } from './things.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const path = z.string().min(1);
const codes = z.record(z.string(), scalar);

/** How to read a field of a record, and how to write it. */
export const conversion = z.strictObject({
  from: path.or(z.array(path).min(1)).optional().meta({
    description: 'Column or element; `../` leads to the enclosing record. Several are joined.',
  }),
  join: z.string().optional().meta({ description: 'Separator between several values. Default: a blank.' }),
  before: path.optional().meta({ description: 'Only the part before this text.' }),
  after: path.optional().meta({ description: 'Only the part after this text.' }),
  split: path.optional().meta({ description: 'Separator of a list that is one text.' }),
  format: path.optional().meta({
    description:
      'Format of days and times: yyyy MM dd HH mm ss SSS, with XXX (-03:00) or Z (UTC); or `seconds` or `milliseconds` since 1970.',
  }),
  codes: z.union([path, codes]).optional().meta({
    description: 'Maps the system’s codes to Puente’s words, in both directions. A name refers to an entry of `codes`.',
  }),
  none: z.array(scalar).optional().meta({ description: 'Values for an absent value, e.g. 0 or 999.' }),
  numeric: z.boolean().optional().describe('A whole number. Any other id finds nothing, and is not sent.'),
  digits: z.int().positive().optional().meta({ description: 'Pads with leading zeros to this number of digits.' }),
  encode: z.boolean().optional().meta({ description: 'Encodes ids such as 1234/5 for URL paths.' }),
  value: scalar.optional().meta({ description: 'Always this.' }),
  expression: z.string().optional().meta({ description: 'CEL expression over `record`, if no other key is enough.' }),
});
const field = path.or(conversion).meta({ id: 'Field' });

export type Conversion = z.output<typeof conversion>;
export type FieldMapping = string | Conversion;
/** Fields by their names in the port. An address and a list have fields of their own. */
export interface FieldMappings {
  readonly [name: string]: FieldMapping | FieldMappings;
}

/** The mapping of a field, or of the fields within a field. */
export const findMapping = (fields: FieldMappings, path: readonly string[]): FieldMapping | FieldMappings | undefined =>
  path.reduce<FieldMapping | FieldMappings | undefined>(
    (found, name) => (typeof found === 'object' ? (found as FieldMappings)[name] : undefined),
    fields,
  );

/** Converts the short form, a path, to the long one. */
export const toConversion = (mapping: FieldMapping): Conversion =>
  typeof mapping === 'string' ? { from: mapping } : mapping;

/** The paths that a conversion reads. */
export const listPaths = ({ from }: Conversion): readonly string[] => (from === undefined ? [] : [from].flat());

/** The kind of a field, which determines the reading and writing of its texts. */
export type Kind = 'text' | 'number' | 'flag' | 'day' | 'dateTime' | 'instant' | 'time' | 'word' | 'ids';

/** A field with a value, and without inner fields. */
export interface Leaf {
  readonly path: readonly string[];
  readonly kind: Kind;
  /** The words of Puente for a `word`. */
  readonly words: readonly string[];
  /** True if the field has no default wherever its parent is present. */
  readonly required: boolean;
  /** True if its parent is always present. */
  readonly isAlwaysThere: boolean;
  readonly isInList: boolean;
  /** True if an empty text is valid for an unknown value. */
  readonly mayBeEmpty: boolean;
}

/** Removes `optional`, `nullable`, `default` and transformations from a schema. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  return schema instanceof z.ZodUnion ? unwrap(schema.options[0]!) : schema;
}

const isOptional = (schema: z.core.$ZodType): boolean => z.safeParse(schema, undefined).success;

/** The inner fields of an object, or of a list's entries. */
export function findInner(
  schema: z.core.$ZodType,
): { readonly record: z.ZodObject; readonly isList: boolean } | undefined {
  const kind = unwrap(schema);
  const isList = kind instanceof z.ZodArray;
  const record = isList ? unwrap(kind.element) : kind;
  return record instanceof z.ZodObject ? { record, isList } : undefined;
}

/** All fields with values of a record. Inner fields have their path. */
export const listLeaves = (
  record: z.ZodObject,
  above: Pick<Leaf, 'path' | 'isAlwaysThere' | 'isInList'> = { path: [], isAlwaysThere: true, isInList: false },
): Leaf[] =>
  Object.entries<z.core.$ZodType>(record.shape).flatMap(([name, schema]) => {
    const path = [...above.path, name];
    const required = !isOptional(schema);
    const inner = findInner(schema);
    const mayBeEmpty = z.safeParse(schema, '').success;
    if (!inner) return [{ ...above, path, required, mayBeEmpty, ...readKind(unwrap(schema)) }];
    const isAlwaysThere = above.isAlwaysThere && required;
    return listLeaves(inner.record, { path, isAlwaysThere, isInList: above.isInList || inner.isList });
  });

const formats: Readonly<Record<string, Kind>> = { date: 'day', time: 'time' };

function readKind(schema: z.core.$ZodType): Pick<Leaf, 'kind' | 'words'> {
  if (schema instanceof z.ZodEnum) return { kind: 'word', words: schema.options.map(String) };
  if (schema instanceof z.ZodBoolean) return { kind: 'flag', words: ['true', 'false'] };
  if (schema instanceof z.ZodArray) return { kind: 'ids', words: [] };
  if (schema instanceof z.ZodNumber) return { kind: 'number', words: [] };
  if (schema instanceof z.ZodISODateTime)
    return { kind: z.safeParse(schema, '2026-01-01T00:00:00').success ? 'dateTime' : 'instant', words: [] };
  return { kind: formats[schema instanceof z.ZodStringFormat ? (schema.format ?? '') : ''] ?? 'text', words: [] };
}

/** The schema of a record's fields. Each is a field, or has inner fields. */
function createFields(record: z.ZodObject): z.ZodType<FieldMappings> {
  const entries = Object.entries<z.core.$ZodType>(record.shape).map(([name, schema]) => {
    const inner = findInner(schema);
    return [name, (inner ? createFields(inner.record) : field).optional()];
  });
  return z.strictObject(Object.fromEntries(entries)) as unknown as z.ZodType<FieldMappings>;
}

const question = sqlQuestion.or(httpQuestion);
const change = sqlChange.or(httpChange);

type QuestionDefinition = z.output<typeof question>;
type ChangeDefinition = z.output<typeof change>;

/** The section of a thing in a file. */
export type Section<T extends ThingName> = {
  readonly select?: string | undefined;
  readonly where?: string | undefined;
  readonly keys?: Readonly<Record<string, KeyDefinition | undefined>> | undefined;
  readonly order?: string | undefined;
  readonly keep?: number | undefined;
  readonly fields: FieldMappings;
} & { readonly [Q in QuestionOf<T>]?: QuestionDefinition | undefined } & {
  readonly [C in ChangeOf<T>]?: ChangeDefinition | undefined;
};

const sqlPart = z.string().trim().min(1);
const key = sqlPart.meta({ description: 'A column of `select`, or an expression over its columns.' }).or(
  z.strictObject({
    column: sqlPart,
    join: sqlPart.meta({ description: 'A JOIN that only this key needs. Rows with the same id are one record.' }),
  }),
);
export type KeyDefinition = z.output<typeof key>;

/** The keys of a thing beside its questions, changes and fields. */
export const createParts = (name: ThingName) => {
  const names = listKeyNames(name);
  const keys = z.strictObject(Object.fromEntries(names.map((each) => [each, key.optional()]))).optional();
  return {
    select: sqlPart.optional().meta({ description: 'SELECT and FROM of each question of this thing, without WHERE.' }),
    where: sqlPart.optional().meta({ description: 'Condition of every question, e.g. `p.deleted = 0`.' }),
    ...(names.length > 0 && { keys: keys.meta({ description: 'The columns that select records.' }) }),
    order: sqlPart.optional().meta({ description: 'ORDER BY of each question.' }),
    ...('all' in things[name].questions && { keep }),
  };
};

const createSection = <T extends ThingName>(name: T): z.ZodType<Section<T>> => {
  const { about, record, questions, changes } = things[name];
  const all = (names: object, schema: z.ZodType) =>
    Object.fromEntries(Object.keys(names).map((each) => [each, schema.optional()]));
  return z
    .strictObject({
      ...createParts(name),
      ...all(questions, question),
      ...all(changes, change),
      fields: createFields(record),
    })
    .meta({ description: about }) as unknown as z.ZodType<Section<T>>;
};

const sections = Object.fromEntries(
  Object.keys(things).map((name) => [name, createSection(name as ThingName).optional()]),
) as { readonly [T in ThingName]: z.ZodOptional<z.ZodType<Section<T>>> };

/** A mapping file. */
export const mappingSchema = z.strictObject({
  system: z.string().min(1).meta({ description: 'Name of the system in logs.' }),
  database: database.optional(),
  http: http.optional().meta({ description: 'The connection to the system over HTTP.' }),
  rules: z
    .strictObject({
      cancelUntilHours: z.number().nonnegative().default(0).meta({
        description: 'The minimum number of hours before the start for a cancellation.',
      }),
      institutionId: z.string().min(1).optional().meta({
        description: 'The id with which callers select the carriers that have a contract with the institution.',
      }),
    })
    .prefault({})
    .meta({ description: 'Rules of the institution.' }),
  codes: z.record(z.string(), codes).default({}).meta({
    description:
      'Tables of codes: the system’s codes and Puente’s words. The first code of a word is written, of whole numbers the smallest.',
  }),
  ...sections,
});

export type MappingFile = z.output<typeof mappingSchema>;

/** The JSON Schema of a mapping file, for completion and checks in editors. */
export const createJsonSchema = (): object =>
  z.toJSONSchema(mappingSchema, {
    io: 'input',
    reused: 'ref',
    override: ({ zodSchema, jsonSchema }) => {
      // Editors would report keys such as 1, which are texts here.
      delete jsonSchema.propertyNames;
      // Notes for the gateway, which are not JSON Schema.
      for (const note of ['file', 'certificates', 'address']) delete jsonSchema[note];
      if (zodSchema instanceof z.ZodDiscriminatedUnion) branchByKind(zodSchema, jsonSchema);
    },
  });

/** For several kinds, editors check only the named one instead of the best match. */
function branchByKind({ options }: z.ZodDiscriminatedUnion, jsonSchema: z.core.JSONSchema.BaseSchema): void {
  const all = (jsonSchema.oneOf ?? []).map((branch, i) => {
    const kind: unknown = (options[i] as z.ZodObject).shape.kind;
    const isDefault = kind instanceof z.ZodDefault;
    const literal = isDefault ? kind.unwrap() : kind;
    return { name: literal instanceof z.ZodLiteral ? String(literal.value) : '', isDefault, branch };
  });
  delete jsonSchema.oneOf;
  jsonSchema.type = 'object';
  jsonSchema.properties = { kind: { enum: all.map(({ name }) => name) } };
  jsonSchema.allOf = all.map(({ name, isDefault, branch }) => ({
    if: { properties: { kind: { const: name } }, ...(!isDefault && { required: ['kind'] }) },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema.
    then: branch,
  }));
}

/** The field whose format replaces that of a missing field. */
export const standIns: Readonly<Record<string, string>> = {
  'slots.number': 'slots.id',
  'slots.start': 'taken.start',
  'slots.scheduleId': 'schedules.id',
  'slots.modality': 'schedules.modality',
  'exceptions.firstDay': 'exceptions.start',
};

/** The field whose form a `:name` has. Undefined if the file does not have it. */
export function findWritten(file: MappingFile, { field }: Name): Conversion | undefined {
  const [found] = [field, standIns[field] ?? ''].flatMap((each) => {
    const [thing = '', ...path] = each.split('.');
    const section = file[thing as ThingName];
    return (section && findMapping(section.fields, path)) ?? [];
  });
  return found === undefined ? undefined : toConversion(found);
}
