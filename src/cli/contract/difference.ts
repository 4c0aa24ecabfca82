import { inspect } from 'node:util';

/** Lines that are the same on both sides are shown so far from a difference. */
const CONTEXT = 2;
/** Of each side, more are not compared. */
const MAX_LINES = 400;

/** Two values line by line: + begins what only the first has, - what only the second has, and a space what both have. */
export function formatDifference(actual: unknown, expected: unknown): string {
  const lines = compare(print(actual), print(expected));
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

/** By their longest common subsequence. */
function compare(first: readonly string[], second: readonly string[]): string[] {
  const common = first.map((): number[] => []);
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = first.length - 1; i >= 0; i--) {
    for (let j = second.length - 1; j >= 0; j--) {
      const row = common[i];
      if (row) row[j] = first[i] === second[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < first.length || j < second.length) {
    if (i < first.length && first[i] === second[j]) {
      lines.push(`  ${first[i]}`);
      i++;
      j++;
    } else if (j >= second.length || (i < first.length && at(i + 1, j) >= at(i, j + 1))) lines.push(`+ ${first[i++]}`);
    else lines.push(`- ${second[j++]}`);
  }
  return lines;
}
