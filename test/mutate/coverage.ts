import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest } from './digest.ts';
import { runJest } from './jest-process.ts';

/** What one file of tests ran when nothing was changed. */
export interface Coverage {
  readonly file: string;
  readonly seconds: number;
  readonly passed: boolean;
  /** Digests of the file of tests, of what it imports of tests, and of the sources, as they were. */
  readonly digests: Readonly<Record<string, string>>;
  /** Sources in processes that the tests started; `lines` may lack what ran there. */
  readonly loadedInProcesses: readonly string[];
  /** Under each source the lines that ran, counted from 1. */
  readonly lines: Readonly<Record<string, readonly number[]>>;
}

const batchSize = 8;

/** Runs every file of tests of which nothing is known yet, or which has changed since. */
export async function measureCoverage(
  place: { readonly copy: string; readonly scratch: string; readonly cache: string; readonly folder: string },
  print: (line: string) => void,
): Promise<Coverage[]> {
  const { copy, folder } = place;
  mkdirSync(folder, { recursive: true });
  const tests = globSync('{test,src,adapters}/**/*.test.ts', { cwd: copy }).toSorted();
  const isTest = (file: string): boolean => file.startsWith('test/') || tests.includes(file);
  const isAsBefore = ([file, before]: [string, string]): boolean =>
    existsSync(join(copy, file)) && digest(readFileSync(join(copy, file), 'utf8')) === before;
  const read = (file: string): Coverage | undefined => {
    const path = join(folder, `${file.replaceAll('/', '--')}.json`);
    if (!existsSync(path)) return undefined;
    const known: Coverage = JSON.parse(readFileSync(path, 'utf8'));
    return Object.entries(known.digests)
      .filter(([name]) => isTest(name))
      .every(isAsBefore)
      ? known
      : undefined;
  };
  const unknown = tests.filter((file) => read(file) === undefined);
  for (let begin = 0; begin < unknown.length; begin += batchSize) {
    const batch = unknown.slice(begin, begin + batchSize);
    print(`which lines do tests run? ${begin} of ${unknown.length} files of tests`);
    const options = ['--coverage', '--reporters', '<rootDir>/test/mutate/coverage-reporter.js'];
    const environment = { MUTATE_COVERAGE: folder };
    const { timedOut, output } = await runJest({ ...place, tests: batch, options, environment, seconds: 1200 });
    const missing = batch.filter((file) => read(file) === undefined);
    if (missing.length > 0) print(`nothing is known of ${missing.join(', ')}${timedOut ? ' (no end)' : ''}\n${output}`);
  }
  return tests.flatMap((file) => read(file) ?? []);
}
