import { randomInt } from 'node:crypto';

let seed = randomInt(1, 1_000_000);
let state = seed;

/** What is picked at random depends on: the same picks the same among the same. */
export const getSeed = (): number => seed;

/** Picks by this seed from now on. */
export const setSeed = (given: number): void => {
  seed = given;
};

/** Begins the picks of that case anew, so that it picks the same alone and among others. */
export function beginPicks(id: string): void {
  state = seed;
  for (const char of id) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x01000193);
}

/** A whole number below this one. */
export function pickBelow(bound: number): number {
  state = (state + 0x9e3779b9) | 0;
  let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) % bound;
}
