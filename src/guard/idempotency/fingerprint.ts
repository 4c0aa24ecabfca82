import { createHash } from 'node:crypto';
import { writeJson } from '../../ports/json-pieces.ts';

/** A digest of JSON values, the same whatever the order of the fields of their objects. Files are hashed over many turns. */
export async function computeFingerprint(...values: readonly unknown[]): Promise<string> {
  const hash = createHash('sha256');
  let hashed = 0;
  for (const piece of writeJson(sortFields(values))) {
    if (hashed > 0) await new Promise((resolve) => setImmediate(resolve));
    hash.update(piece);
    hashed += piece.length;
  }
  return hash.digest('hex');
}

function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortFields);
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, item]) => [name, sortFields(item)]));
}
