import type { Coverage } from './coverage.ts';

/** Where a mutant is, and the digest of its file without it. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly digest: string;
}

/**
 * The files of tests that run the line, the likeliest and quickest to notice first: those named after the source, those of its
 * folder, the others; last those that may run it in a process of which nothing is known.
 */
export function orderTests(coverage: readonly Coverage[], place: Place): Coverage[] {
  const rank = (each: Coverage): number | undefined => {
    const lines = each.lines[place.file];
    if (!each.passed || !lines) return undefined;
    const named = isNamedAfter(each.file, place.file);
    if (lines.includes(place.line) || each.digests[place.file] !== place.digest)
      return named ? 0 : isBeside(each.file, place.file) ? 1 : 2;
    return each.loadedInProcesses.includes(place.file) ? 3 : undefined;
  };
  return coverage
    .flatMap((each) => {
      const value = rank(each);
      return value === undefined ? [] : [{ each, value }];
    })
    .toSorted((a, b) => a.value - b.value || a.each.seconds - b.each.seconds)
    .map(({ each }) => each);
}

/** Parts of about 5, 30, and then 60 seconds: what kills early saves the rest, and each part costs a start. */
export function splitBySeconds(tests: readonly Coverage[]): Coverage[][] {
  const parts: Coverage[][] = [];
  let room = 0;
  for (const test of tests) {
    if (parts.length === 0 || room < test.seconds) {
      room = [5, 30][parts.length] ?? 60;
      parts.push([]);
    }
    parts.at(-1)?.push(test);
    room -= test.seconds;
  }
  return parts;
}

const toTestPath = (source: string): string => `test/${source.replace(/^src\//, '').replace(/\.ts$/, '')}`;

const isNamedAfter = (test: string, source: string): boolean =>
  test.startsWith(`${toTestPath(source)}.`) || test.startsWith(`${toTestPath(source).replace(/\/index$/, '')}.`);

const isBeside = (test: string, source: string): boolean => {
  const folder = toTestPath(source).split('/').slice(0, -1).join('/');
  return test.startsWith(`${folder}/`) || test.startsWith(`${folder}.`);
};
