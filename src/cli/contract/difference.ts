import { diff, inspect } from 'node:util';

/** Lines that are the same on both sides are shown so far from a difference. */
const CONTEXT = 2;
/** Of each side, more are not compared. */
const MAX_LINES = 400;
/** Of what only the second has, of both, and of what only the first has. */
const signs = ['-', ' ', '+'];

/** Two values line by line: + begins what only the first has, - what only the second has, and a space what both have. */
export function formatDifference(actual: unknown, expected: unknown): string {
  const lines = diff(print(actual), print(expected)).map(([sign, line]) => `${signs[sign + 1]} ${line}`);
  const changed = lines.flatMap((line, i) => (line.startsWith(' ') ? [] : [i]));
  const isNear = (i: number) => changed.some((at) => Math.abs(at - i) <= CONTEXT);
  return lines
    .flatMap((line, i) => {
      if (isNear(i)) return [line];
      return isNear(i - 1) ? ['  …'] : [];
    })
    .join('\n');
}

/** Each text in one piece, so that it can be found and hidden. */
const print = (value: unknown): string[] =>
  inspect(value, {
    depth: 10,
    compact: false,
    breakLength: Number.POSITIVE_INFINITY,
    sorted: true,
    maxArrayLength: 200,
  })
    .split('\n')
    .map((line) => line.replace(/,$/, ''))
    .slice(0, MAX_LINES);
