import type { z } from 'zod';

/** A key of the configuration that holds a value: text, a number, a list, but no section. */
export interface Key {
  readonly path: readonly string[];
  readonly schema: z.core.$ZodType;
}

/** Every key below a schema, sections first to last. */
export function listKeys(schema: z.core.$ZodType, path: readonly string[] = []): Key[] {
  const inner = innermost(schema);
  if (!isObject(inner)) return [{ path, schema }];
  return Object.entries(inner._zod.def.shape).flatMap(([name, child]) => listKeys(child, [...path, name]));
}

/** The names that a section or a list entry may hold, where the path leads to one. */
export function listNames(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const inner = innermost(schema);
  const [key, ...rest] = path;
  if (isObject(inner)) {
    const { shape } = inner._zod.def;
    if (key === undefined) return Object.keys(shape);
    const child = shape[String(key)];
    return child ? listNames(child, rest) : [];
  }
  const { element } = inner._zod.def as { element?: z.core.$ZodType };
  return element && key !== undefined ? listNames(element, rest) : [];
}

/** Whether the key takes text as it stands, so that `007` or `no` from the environment is no number and no boolean. */
export function takesText({ schema }: Key): boolean {
  return ['string', 'enum', 'literal'].includes(innermost(schema)._zod.def.type);
}

/** Whether the key names a file: its schema carries `.meta({ file: true })`. */
export function namesFile({ schema }: Key): boolean {
  return wrappings(schema).some((layer) => (layer as z.ZodType).meta?.()?.file === true);
}

const innermost = (schema: z.core.$ZodType): z.core.$ZodType => wrappings(schema).at(-1)!;

/** The schema and what it wraps: defaults, optionality and transformations, down to what stands in the file. */
function wrappings(schema: z.core.$ZodType): z.core.$ZodType[] {
  const def = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = def.innerType ?? def.in;
  return inner ? [schema, ...wrappings(inner)] : [schema];
}

const isObject = (schema: z.core.$ZodType): schema is z.core.$ZodObject => schema._zod.def.type === 'object';
