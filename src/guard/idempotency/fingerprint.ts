import { createHash } from 'node:crypto';

/** Strings of more characters are files: each so many of them are hashed in a turn of the event loop. */
const PIECE = 64 * 1024;

/** A digest of JSON values, the same whatever the order of the fields of their objects. */
export async function computeFingerprint(...values: readonly unknown[]): Promise<string> {
  const hash = createHash('sha256');
  const long = new Map<string, string>();
  const text = JSON.stringify(values, (_name, value: unknown) => {
    if (typeof value !== 'string' || value.length <= PIECE) return sortFields(value);
    const placeholder = crypto.randomUUID();
    long.set(placeholder, value);
    return placeholder;
  });
  let hashed = 0;
  for (const [placeholder, value] of long) {
    const at = text.indexOf(placeholder, hashed);
    hash.update(text.slice(hashed, at));
    hashed = at + placeholder.length;
    for (let start = 0; start < value.length; ) {
      const end = start + PIECE - (isFirstHalf(value.charCodeAt(start + PIECE - 1)) ? 1 : 0);
      hash.update(JSON.stringify(value.slice(start, end)).slice(1, -1));
      start = end;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return hash.update(text.slice(hashed)).digest('hex');
}

/** Of a character that has two code units, which are not written alike when they stand alone. */
const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
