import { z } from 'zod';

/** Every field that the schema declares, and below it its own, e.g. `locations/address/city`. Positions in lists are left out. */
export function listFields(schema: z.core.$ZodType, path = ''): string[] {
  const { def } = schema._zod;
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, field]) => listFields(field, path ? `${path}/${name}` : name));
  }
  if (schema instanceof z.ZodArray) return listFields(schema.element, path);
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap((each) => listFields(each, path)))];
  if ('innerType' in def && def.innerType instanceof z.ZodType) return listFields(def.innerType, path);
  return path ? [path] : [];
}

/** The fields that have a value; an empty text, an empty list and null are none. */
export function listFilled(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => listFilled(each, path));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, field]) => listFilled(field, path ? `${path}/${name}` : name));
  }
  return value === undefined || value === null || value === '' ? [] : [path];
}

/** How many records an answer has: those of its first list, or itself. */
export function countRecords(body: unknown): number {
  const list = findList(body);
  return list ? list.length : 1;
}

/** The list that an answer is, or has in a field. */
export function findList(body: unknown): readonly unknown[] | undefined {
  const values: unknown[] = Array.isArray(body) ? [body] : Object.values(Object(body));
  const list: unknown = values.find(Array.isArray);
  return Array.isArray(list) ? list : undefined;
}
