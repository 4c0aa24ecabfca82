/** A copy that is frozen at every level, for plain data only. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(deepFreeze)) as T;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = deepFreeze(item);
  return Object.freeze(copy) as T;
}
