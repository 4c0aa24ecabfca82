import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Change, listChanges } from './operators.ts';

/** One small change of a source file. */
export interface Mutant extends Change {
  /** Path below the root of the checkout. */
  readonly file: string;
  /** The line of `start`, counted from 1. */
  readonly line: number;
  /** That line without the blanks around it, as it stays when lines above it come and go. */
  readonly code: string;
  readonly original: string;
}

/** A mutant that no test can tell from the code, and why. */
interface Equivalent {
  readonly file: string;
  readonly code: string;
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

const equivalents: readonly Equivalent[] = JSON.parse(
  readFileSync(new URL('equivalents.json', import.meta.url), 'utf8'),
);

/** Every mutant of these files, but those of which it is known that no test can tell them. */
export function listMutants(files: readonly string[]): Mutant[] {
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const lines = text.split('\n');
    const mutants = listChanges(file, text).map((change) => {
      const line = text.slice(0, change.start).split('\n').length;
      const code = lines[line - 1]?.trim() ?? '';
      return { ...change, file, line, code, original: text.slice(change.start, change.end) };
    });
    return mutants.filter((mutant) => !equivalents.some((each) => isSame(each, mutant)));
  });
}

const isSame = (each: Omit<Equivalent, 'reason'>, { file, code, original, replacement }: Mutant): boolean =>
  each.file === file && each.code === code && each.original === original && each.replacement === replacement;

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
    return { mutant, ticket: hash('sha256', `${seed} ${time} ${name}`) };
  });
  return tickets
    .toSorted((a, b) => (a.ticket < b.ticket ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/** The text of the file with the change made. */
export const applyChange = (text: string, { start, end, replacement }: Change): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** A line for people: where, and what became of what. */
export const describeMutant = ({ file, line, operator, original, replacement }: Mutant): string =>
  `${file}:${line} ${operator}: ${shorten(original)} -> ${shorten(replacement) || '(nothing)'}`;

const shorten = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 90);
