import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';

/** A mutant that no test can tell from the code, and why. */
export interface Equivalent {
  readonly file: string;
  readonly code: string;
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

export const readEquivalents = (): readonly Equivalent[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'equivalents.json'), 'utf8'));

/** Why the mutant is no fault, where that is written down. */
export const findReason = (list: readonly Equivalent[], mutant: Mutant): string | undefined =>
  list.find(
    (each) =>
      each.file === mutant.file &&
      each.code === mutant.code &&
      each.original === mutant.original &&
      each.replacement === mutant.replacement,
  )?.reason;
