import { z } from 'zod';

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
