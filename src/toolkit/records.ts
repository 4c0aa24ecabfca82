/** A copy that is frozen at every level, for plain data only. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(deepFreeze)) as T;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = deepFreeze(item);
  return Object.freeze(copy) as T;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The record without what is undefined. Every field has to be given: one that is added to its type does not compile until it is. */
export const toRecord = <T extends object>(values: { readonly [K in keyof Required<T>]: T[K] }): T =>
  omitUndefined(values) as object as T;

/** A copy without the keys that are undefined: to the ports, and in FHIR, absent and undefined are not the same. */
export function omitUndefined<T extends object>(values: T): Defined<T>;
export function omitUndefined(values: Readonly<Record<string, unknown>>): object {
  const defined: Record<string, unknown> = {};
  for (const name of Object.keys(values)) {
    if (values[name] !== undefined) defined[name] = values[name];
  }
  return defined;
}
