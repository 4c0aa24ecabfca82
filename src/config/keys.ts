import type { z } from 'zod';

/** A key of the configuration with a value, such as text, a number or a list; never a section. */
export interface Key {
  readonly path: readonly string[];
  readonly schema: z.core.$ZodType;
}

/** Every key of a schema, in its order. */
export function listKeys(schema: z.core.$ZodType, path: readonly string[] = []): Key[] {
  const inner = unwrap(schema);
  if (!isObject(inner)) return [{ path, schema }];
  return Object.entries(inner._zod.def.shape).flatMap(([name, child]) => listKeys(child, [...path, name]));
}

/** The names of the keys of the section or list entry at the path; none when something else is there. */
export function listNames(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const found = findSchema(schema, path);
  return found && isObject(found) ? Object.keys(found._zod.def.shape) : [];
}

/** Whether the path is that of a section, whose keys the schema may leave open. */
export const isSectionPath = (schema: z.core.$ZodType, path: readonly PropertyKey[]): boolean =>
  ['object', 'record'].includes(findSchema(schema, path)?._zod.def.type ?? '');

function findSchema(schema: z.core.$ZodType, [key, ...rest]: readonly PropertyKey[]): z.core.$ZodType | undefined {
  const inner = unwrap(schema);
  if (key === undefined) return inner;
  const { element, valueType } = inner._zod.def as Partial<Record<'element' | 'valueType', z.core.$ZodType>>;
  const child = isObject(inner) ? inner._zod.def.shape[String(key)] : (element ?? valueType);
  return child && findSchema(child, rest);
}

/**
 * Whether the key takes this text as it is, so that `007` or `no` from the environment stays text. One that takes a list
 * too gets a list from `[...]`, and one that may be null gets null from `null`.
 */
export function takesText({ schema }: Key, text: string): boolean {
  if (text === 'null' && listLayers(schema).some((layer) => layer._zod.def.type === 'nullable')) return false;
  const inner = unwrap(schema);
  const { options = [inner] } = inner._zod.def as { options?: readonly z.core.$ZodType[] };
  const isText = options.some((each) => ['string', 'enum', 'literal'].includes(each._zod.def.type));
  return isText && (options.length === 1 || !text.startsWith('['));
}

/** Whether the schema of the key carries the mark, as `.meta({ file: true })`. */
export const isMarked = ({ schema }: Key, mark: 'file' | 'certificates' | 'timeout' | 'address'): boolean =>
  listLayers(schema).some((layer) => (layer as z.ZodType).meta?.()?.[mark] === true);

const unwrap = (schema: z.core.$ZodType): z.core.$ZodType => listLayers(schema).at(-1)!;

/** The schema and what it wraps (defaults, optionality, transformations), down to the schema of the value in the file. */
function listLayers(schema: z.core.$ZodType): z.core.$ZodType[] {
  const def = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = def.innerType ?? def.in;
  return inner ? [schema, ...listLayers(inner)] : [schema];
}

const isObject = (schema: z.core.$ZodType): schema is z.core.$ZodObject => schema._zod.def.type === 'object';

/** Whether a value of the file is one with keys. */
export const isSection = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at that path; undefined when there is none. */
export const getValue = (values: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], values);
