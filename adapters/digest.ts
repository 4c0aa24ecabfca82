import { createHash } from 'node:crypto';
import { takePieces } from '../src/ports/json-pieces.ts';

/** The SHA-256 of the JSON text of data, in hexadecimal; files are hashed over many turns of the event loop. */
export async function computeDigest(content: unknown): Promise<string> {
  const hash = createHash('sha256');
  await takePieces(content, (piece) => hash.update(piece));
  return hash.digest('hex');
}
