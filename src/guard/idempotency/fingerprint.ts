import { createHash, hash } from 'node:crypto';
import { isLongJson, takePieces } from '../../ports/json-pieces.ts';

/** So many characters are hashed at once. */
const MAX_WHOLE = 64 * 1024;

/** A digest of JSON values, the same whatever the order of the fields of their objects. Files are hashed over many turns. */
export async function computeFingerprint(...values: readonly unknown[]): Promise<string> {
  const sorted = sortFields(values);
  if (!isLongJson(sorted, MAX_WHOLE)) return hash('sha256', JSON.stringify(sorted));
  const digest = createHash('sha256');
  await takePieces(sorted, (piece) => digest.update(piece));
  return digest.digest('hex');
}

function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortFields);
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, item]) => [name, sortFields(item)]));
}
