import { z } from 'zod';

// Treats null as absent in the optional fields of a body, at any depth, because serializers of .NET and Java send it by
// default.

/** True if a field is optional, and may therefore be null. */
const isOptional = (field: unknown): field is z.ZodOptional | z.ZodDefault =>
  field instanceof z.ZodOptional || field instanceof z.ZodDefault;

/** The body without its optional fields that are null. */
export function dropNulls(schema: unknown, value: unknown): unknown {
  if (isOptional(schema)) return dropNulls(schema.unwrap(), value);
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  const fields = new Map<string, unknown>(Object.entries(schema.shape));
  const kept = Object.entries(value).filter(([name, each]) => each !== null || !isOptional(fields.get(name)));
  return Object.fromEntries(kept.map(([name, each]) => [name, dropNulls(fields.get(name), each)]));
}

/** The schema of the request: `schema`, but each optional field may be null. */
export function publishNulls<T extends z.core.$ZodType>(schema: T): T | z.ZodObject {
  if (!(schema instanceof z.ZodObject)) return schema;
  const shape = new Map<string, z.core.$ZodType>(Object.entries(schema.shape));
  for (const [name, field] of shape) shape.set(name, publishNull(field));
  const { id, ...meta } = schema.meta() ?? {};
  const copy: z.ZodObject = z.core.clone(schema, { ...schema.def, shape: Object.fromEntries<z.core.$ZodType>(shape) });
  // An update rejects null. The name of the schema is dropped, because it would belong to two schemas.
  return copy.meta({ ...meta, ...(id !== undefined && { id: `Nullable${id}` }) });
}

function publishNull(field: z.core.$ZodType): z.core.$ZodType {
  if (!isOptional(field)) return publishNulls(field);
  const inner: z.core.$ZodType = field.unwrap();
  const { description } = z.globalRegistry.get(field) ?? z.globalRegistry.get(inner) ?? {};
  const orNull = z.nullable(publishNulls(inner)).meta({ ...(description !== undefined && { description }) });
  return field instanceof z.ZodDefault ? orNull.default(field.def.defaultValue) : orNull.optional();
}
