import { expect, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import { scenarioGroups } from '../../src/sandbox/page.ts';
import { listScenarios } from '../../src/sandbox/scenarios.ts';

test('every scenario stands in one group, by what a client has to do', () => {
  const grouped = scenarioGroups.flatMap(({ scenarios }) => scenarios);
  const all = new Set(operations.flatMap(listScenarios));
  expect(grouped.toSorted()).toEqual([...all].toSorted());
});
