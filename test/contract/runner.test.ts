import { expect, test } from '@jest/globals';
import { applyKnown } from '../../src/contract/runner.ts';

test('a case that fails as it is known to is skipped for its reason, and another is not', () => {
  const known = new Map([['patients.get.own', 'mended in May']]);
  const failed = {
    id: 'patients.get.own',
    title: 't',
    outcome: 'fail',
    reason: 'it differs',
    error: new Error('x'),
    ms: 1,
  } as const;
  expect(applyKnown(failed, known)).toEqual({
    id: 'patients.get.own',
    title: 't',
    outcome: 'skip',
    reason: 'a known failure: mended in May',
    ms: 1,
  });
  expect(applyKnown(failed, new Map())).toBe(failed);
});
