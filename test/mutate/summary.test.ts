import { expect, test } from '@jest/globals';
import { formatSummary, summarize, type Tested } from './summary.ts';
import type { Outcome } from './test-mutant.ts';

const place = { file: 'src/a.ts', start: 0, end: 1, line: 3, code: '<' };
const mutant = { ...place, operator: 'boundary', original: '<', replacement: '<=' };
const toTested = (outcome: Outcome, reason?: string): Tested => ({ mutant, outcome, ...(reason && { reason }) });
const killer = { file: 'test/a.test.ts', title: 'a is b', reason: '' };
const tested = [
  toTested({ state: 'killed', by: 'types' }),
  toTested({ state: 'killed', by: killer }),
  toTested({ state: 'killed', by: 'time' }),
  toTested({ state: 'survived', tests: 2, left: 1 }),
  toTested({ state: 'survived', tests: 0, left: 0 }, 'both ends are the same'),
];

test('a summary counts those that are killed among those that are not equivalent, and lists the others', () => {
  expect(summarize(tested)).toMatchObject({ drawn: 5, byTypes: 1, byTests: 2, killedPercent: 75 });
  expect(formatSummary(summarize(tested))).toBe(
    [
      'Equivalent:',
      '  src/a.ts:3 boundary: < -> <=',
      '    both ends are the same',
      'Survived:',
      '  src/a.ts:3 boundary: < -> <=',
      '    2 files of tests run this line, and 1 more were not tried',
      '5 drawn: 1 killed by types, 2 by tests, 1 equivalent, 1 survived; 75.0 % of those that are not equivalent were killed',
    ].join('\n'),
  );
});

test('nothing drawn is nothing missed', () => expect(summarize([]).killedPercent).toBe(100));
