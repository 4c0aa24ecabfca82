/** True if a value is an object with fields: neither null nor an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> => isObject(value) && !Array.isArray(value);

const isObject = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null;

/** The field of a value of any kind. Undefined if the value has none. */
export const getField = (value: unknown, name: PropertyKey): unknown => (isObject(value) ? value[name] : undefined);

/** The fields of a value of any kind. Empty unless it is a record. */
export const getFields = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** Returns a copy that is frozen at every level. For plain data only. */
export function deepFreeze<T>(value: T): T;
export function deepFreeze(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map((item: unknown) => deepFreeze(item)));
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = deepFreeze(item);
  return Object.freeze(copy);
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The record without its undefined fields. Every field is required, so a new field of the type is a compile error here.
 */
export function toRecord<T extends object>(values: { readonly [K in keyof Required<T>]: T[K] }): T;
export function toRecord(values: object): object {
  return omitUndefined(values);
}

/** A copy without the undefined keys. To ports and in FHIR, absent and undefined differ. */
export function omitUndefined<T extends object>(values: T): Defined<T>;
export function omitUndefined(values: Readonly<Record<string, unknown>>): object {
  const defined: Record<string, unknown> = {};
  for (const name of Object.keys(values)) {
    if (values[name] !== undefined) defined[name] = values[name];
  }
  return defined;
}
