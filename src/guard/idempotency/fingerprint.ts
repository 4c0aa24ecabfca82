import { createHash } from 'node:crypto';

/** A digest of JSON values, the same whatever the order of the fields of their objects. */
export const computeFingerprint = (...values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values, sortFields)).digest('hex');

function sortFields(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
