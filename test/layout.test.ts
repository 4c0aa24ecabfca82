import { existsSync, globSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

const tests = globSync('test/**/*.test.ts').toSorted();

/** Tests of more than one source. */
const acrossSources: readonly RegExp[] = [
  // What a caller, a server or a network may do to a room.
  /\/resilience\//,
  // The contract over each adapter, and one adapter beside the other.
  /^test\/contract\/(fhir|legacy|local|memory)-/,
  /^test\/twins\//,
  // The repository as a whole.
  /^test\/(architecture|costs|layout|log-events|packaging)(\.slow)?\.test\.ts$/,
  /^test\/adapters\/fhir\/call-budget\.test\.ts$/,
];

/** What a test is named after: `a/b.test.ts` and `a/b.some-aspect.test.ts` after the file or folder `a/b`. */
function findSource(file: string): string | undefined {
  const path = file.slice('test/'.length).replace(/(\.[\w-]+)?(\.slow)?\.test\.ts$/, '');
  return [`src/${path}`, path, `test/${path}`]
    .flatMap((candidate) => [
      candidate,
      ...['ts', 'cjs', 'md', 'yaml', 'json'].map((ending) => `${candidate}.${ending}`),
    ])
    .find(existsSync);
}

describe('the tests', () => {
  test('stand under the names of their sources', () => {
    const named = (file: string) => acrossSources.some((pattern) => pattern.test(file)) || findSource(file);
    expect(tests.filter((file) => !named(file))).toEqual([]);
  });

  test.each([
    ['test/toolkit/zone.test.ts', 'src/toolkit/zone.ts'],
    ['test/cli/serve.fhir.slow.test.ts', 'src/cli/serve.ts'],
    ['test/auth.test.ts', 'src/auth'],
    ['test/adapters/fhir/mapping.test.ts', undefined],
  ])('%s would be of %s', (file, source) => {
    expect(findSource(file)).toBe(source);
  });
});
