import { describe, expect, test } from '@jest/globals';
import type { Coverage } from './coverage.ts';
import { orderTests, splitBySeconds } from './order-tests.ts';

const source = 'src/http/drain.ts';
const place = { file: source, line: 7, digest: 'now' };
const know = (file: string, seconds: number, more: Partial<Coverage> = {}): Coverage => ({
  file,
  seconds,
  passed: true,
  digests: { [source]: 'now' },
  loadedInProcesses: [],
  lines: { [source]: [7] },
  ...more,
});
const order = (...coverage: readonly Coverage[]) => orderTests(coverage, place).map(({ file }) => file);

describe('the tests of a line', () => {
  test('are first those of its file, then those of its folder, then others, each the quickest first', () => {
    const files = ['test/http/drain.slow.test.ts', 'test/http/drain.queue.test.ts', 'test/http/send.test.ts'];
    const others = ['test/cli/quick.test.ts', 'test/cli/slow.test.ts'];
    const known = [...files, ...others].map((file) => know(file, file.includes('slow') ? 9 : 1));
    expect(order(...known.toReversed(), know('test/http/drain.slow.test.ts', 9))).toEqual([
      ...files.slice(0, 2).toReversed(),
      'test/http/drain.slow.test.ts',
      ...files.slice(2),
      ...others,
    ]);
  });

  test('are none that do not run it, and none that fail without a mutant', () => {
    expect(order(know('a.test.ts', 1, { lines: { [source]: [6] } }), know('b.test.ts', 1, { lines: {} }))).toEqual([]);
    expect(order(know('a.test.ts', 1, { passed: false }))).toEqual([]);
  });

  test('are last those whose processes may have run it', () => {
    const process = know('test/http/drain.slow.test.ts', 1, { lines: { [source]: [1] }, loadedInProcesses: [source] });
    expect(order(process, know('test/x.test.ts', 5))).toEqual(['test/x.test.ts', 'test/http/drain.slow.test.ts']);
  });

  test('are all that ran a part of a file that has changed since', () => {
    expect(order(know('a.test.ts', 1, { lines: { [source]: [1] }, digests: { [source]: 'before' } }))).toEqual([
      'a.test.ts',
    ]);
  });

  test('are run in parts, the first ones short', () => {
    const tests = [1, 2, 3, 20, 9, 40, 20, 1].map((seconds) => know('a.test.ts', seconds));
    const parts = splitBySeconds(tests).map((part) => part.map(({ seconds }) => seconds));
    expect(parts).toEqual([
      [1, 2],
      [3, 20],
      [9, 40],
      [20, 1],
    ]);
  });
});
