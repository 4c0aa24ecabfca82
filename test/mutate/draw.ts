import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';
import { listChanges } from './operators.ts';

/** Every mutant of these files of the checkout. */
export function listMutants(root: string, files: readonly string[]): Mutant[] {
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return listChanges(file, text).map((change) => ({
      ...change,
      file,
      line: text.slice(0, change.start).split('\n').length,
      original: text.slice(change.start, change.end),
    }));
  });
}

/** `count` of them, or all when there are fewer; the same seed draws the same ones in the same order. */
export function draw<T>(all: readonly T[], count: number, seed: number): T[] {
  const pool = [...all];
  const random = createRandom(seed);
  const drawn: T[] = [];
  while (drawn.length < count && pool.length > 0) drawn.push(...pool.splice(Math.floor(random() * pool.length), 1));
  return drawn;
}

/** Numbers from 0 to below 1, by mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
