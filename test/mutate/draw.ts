import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest } from './digest.ts';
import type { Mutant } from './mutant.ts';
import { listChanges } from './operators.ts';

/** Every mutant of these files of the checkout. */
export function listMutants(root: string, files: readonly string[]): Mutant[] {
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const lines = text.split('\n');
    return listChanges(file, text).map((change) => {
      const line = text.slice(0, change.start).split('\n').length;
      const code = lines[line - 1]?.trim() ?? '';
      return { ...change, file, line, code, original: text.slice(change.start, change.end) };
    });
  });
}

/**
 * `count` of them, or all when there are fewer; the same seed draws the same ones in the same order. A change of the
 * code changes no more of the draw than the mutants of the lines that it touches, so that a seed can be run again.
 */
export function draw(all: readonly Mutant[], count: number, seed: number): Mutant[] {
  const times = new Map<string, number>();
  const tickets = all.map((mutant) => {
    const { file, code, operator, original, replacement } = mutant;
    const name = JSON.stringify([file, code, operator, original, replacement]);
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return { mutant, ticket: digest(`${seed} ${time} ${name}`) };
  });
  return tickets
    .toSorted((a, b) => (a.ticket < b.ticket ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}
