import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Coverage } from './coverage.ts';
import { digest } from './digest.ts';
import { type Killer, runJest } from './jest-process.ts';
import { applyMutant, type Mutant } from './mutant.ts';
import { orderTests, splitBySeconds } from './order-tests.ts';

export type Outcome =
  | { readonly state: 'killed'; readonly by: 'types' | 'time' | Killer }
  | { readonly state: 'survived'; readonly tests: number; readonly left: number };

export interface Workplace {
  readonly copy: string;
  readonly scratch: string;
  readonly cache: string;
  readonly coverage: readonly Coverage[];
  /** Tests that take longer than this, counted without the mutant and all together, are left out. */
  readonly mostSeconds: number;
}

/** Runs the tests of the mutant's line until one fails. The copy is afterwards as it was before. */
export async function testMutant(mutant: Mutant, place: Workplace): Promise<Outcome> {
  const path = join(place.copy, mutant.file);
  const text = readFileSync(path, 'utf8');
  const tests = orderTests(place.coverage, { ...mutant, digest: digest(text) });
  let tried = 0;
  let seconds = 0;
  writeFileSync(path, applyMutant(text, mutant));
  try {
    for (const part of splitBySeconds(tests)) {
      const expected = part.reduce((sum, each) => sum + each.seconds, 0);
      seconds += expected;
      if (tried > 0 && seconds > place.mostSeconds) break;
      const { code, killer, timedOut, output } = await runJest({
        ...place,
        tests: part.map(({ file }) => file),
        options: ['--bail=1', '--reporters', '<rootDir>/test/mutate/failure-reporter.js'],
        // A machine may be busy; a mutant that never ends is given up all the same.
        seconds: 60 + expected * 6,
      });
      if (killer) return { state: 'killed', by: killer };
      if (timedOut) return { state: 'killed', by: 'time' };
      if (code !== 0) throw new Error(`jest ended with ${code} and no failed test\n${output}`);
      tried += part.length;
    }
  } finally {
    writeFileSync(path, text);
  }
  return { state: 'survived', tests: tried, left: tests.length - tried };
}
