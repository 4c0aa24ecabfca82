/**
 * A copy that nobody can change, all the way down: safe to keep from a caller and safe to hand to one.
 * For plain data only.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(deepFreeze)) as T;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = deepFreeze(item);
  return Object.freeze(copy) as T;
}
