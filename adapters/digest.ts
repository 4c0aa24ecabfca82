import { createHash } from 'node:crypto';
import { writeJson } from '../src/ports/json-pieces.ts';

/** The SHA-256 of the JSON text of data, in hexadecimal; files are hashed over many turns of the event loop. */
export async function computeDigest(content: unknown): Promise<string> {
  const hash = createHash('sha256');
  let hashed = 0;
  for (const piece of writeJson(content)) {
    if (hashed > 0) await new Promise((resolve) => setImmediate(resolve));
    hash.update(piece);
    hashed += piece.length;
  }
  return hash.digest('hex');
}
