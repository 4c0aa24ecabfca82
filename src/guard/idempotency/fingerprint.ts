import { hash } from 'node:crypto';

/** A digest of JSON values, the same whatever the order of the fields of their objects. */
export const computeFingerprint = (...values: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(sortFields(values)));

function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortFields);
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, item]) => [name, sortFields(item)]));
}
