import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const path = z.string().min(1);
export const codes = z.record(z.string(), scalar);

/** How a field is read of a record, and written back. */
export const conversion = z.strictObject({
  from: path.or(z.array(path).min(1)).optional().meta({
    description: 'Column or element, `../` before one of the record around this one; several are joined.',
  }),
  join: z.string().optional().meta({ description: 'What stands between several; a blank when it is left out.' }),
  before: path.optional().meta({ description: 'Only what stands before this text.' }),
  after: path.optional().meta({ description: 'Only what stands after this text.' }),
  split: path.optional().meta({ description: 'A list in one text, by this separator.' }),
  format: path.optional().meta({
    description:
      'How days and times are written: yyyy MM dd HH mm ss SSS, with XXX (-03:00) or Z (UTC); or `seconds` or `milliseconds` since 1970.',
  }),
  codes: z.union([path, codes]).optional().meta({
    description: 'Code of the system to word of Puente, both ways. A name stands for one of `codes`.',
  }),
  none: z.array(scalar).optional().meta({ description: 'Values that mean that nothing is there, e.g. 0 or 999.' }),
  numeric: z.boolean().optional().describe('A whole number; an id that is none matches nobody, and is not asked for.'),
  digits: z.int().positive().optional().meta({ description: 'Written with zeros in front, to this many digits.' }),
  encode: z.boolean().optional().meta({ description: 'An id such as 1234/5, made fit for the path of a URL.' }),
  value: scalar.optional().meta({ description: 'Always this.' }),
  expression: z.string().optional().meta({ description: 'CEL over `record`, for what no other key can say.' }),
});
export const field = path.or(conversion).meta({ id: 'Field' });

export type Conversion = z.output<typeof conversion>;
export type FieldMapping = string | Conversion;
/** Fields by their names in the port; of an address and of lists, fields of fields. */
export interface FieldMappings {
  readonly [name: string]: FieldMapping | FieldMappings;
}

/** What the file says of a field, or of fields of fields. */
export const findMapping = (fields: FieldMappings, path: readonly string[]): FieldMapping | FieldMappings | undefined =>
  path.reduce<FieldMapping | FieldMappings | undefined>(
    (found, name) => (typeof found === 'object' ? (found as FieldMappings)[name] : undefined),
    fields,
  );

/** As an object, also where a path stands alone. */
export const toConversion = (mapping: FieldMapping): Conversion =>
  typeof mapping === 'string' ? { from: mapping } : mapping;

/** The paths that it reads. */
export const listPaths = ({ from }: Conversion): readonly string[] => (from === undefined ? [] : [from].flat());

/** What a field holds: how its texts are read and written. */
export type Kind = 'text' | 'number' | 'flag' | 'day' | 'dateTime' | 'instant' | 'time' | 'word';

/** A field that holds a value, and no fields. */
export interface Leaf {
  readonly path: readonly string[];
  readonly kind: Kind;
  /** Of a `word`: those that Puente knows. */
  readonly words: readonly string[];
  /** Nothing can stand in for it, where there is what it is a field of. */
  readonly required: boolean;
  /** There is always what it is a field of. */
  readonly isAlwaysThere: boolean;
  readonly isInList: boolean;
  /** An empty text stands for what is not known. */
  readonly mayBeEmpty: boolean;
}

/** A schema without `optional`, `nullable`, `default` and what is done to its value afterwards. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  return schema instanceof z.ZodUnion ? unwrap(schema.options[0]!) : schema;
}

const isOptional = (schema: z.core.$ZodType): boolean => z.safeParse(schema, undefined).success;

/** The fields of fields: of an object, or of the entries of a list. */
export function findInner(
  schema: z.core.$ZodType,
): { readonly record: z.ZodObject; readonly isList: boolean } | undefined {
  const kind = unwrap(schema);
  const isList = kind instanceof z.ZodArray;
  const record = isList ? unwrap(kind.element) : kind;
  return record instanceof z.ZodObject ? { record, isList } : undefined;
}

/** All fields of a record that hold values, those of fields of fields with their path. */
export const listLeaves = (
  record: z.ZodObject,
  above: Pick<Leaf, 'path' | 'isAlwaysThere' | 'isInList'> = { path: [], isAlwaysThere: true, isInList: false },
): Leaf[] =>
  Object.entries(record.shape).flatMap(([name, schema]) => {
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
  if (schema instanceof z.ZodNumber) return { kind: 'number', words: [] };
  if (schema instanceof z.ZodISODateTime)
    return { kind: z.safeParse(schema, '2026-01-01T00:00:00').success ? 'dateTime' : 'instant', words: [] };
  return { kind: formats[schema instanceof z.ZodStringFormat ? (schema.format ?? '') : ''] ?? 'text', words: [] };
}
