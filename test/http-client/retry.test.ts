import { describe, expect, test } from '@jest/globals';
import { RetryBudget } from '../../src/http-client/retry.ts';

const times = <T>(count: number, act: () => T): T[] => Array.from({ length: count }, act);

describe('a retry budget', () => {
  test('of a tenth lets ten retries pass at once, and then one for ten requests', () => {
    const budget = new RetryBudget(0.1);
    expect(times(12, () => budget.take()).filter(Boolean)).toHaveLength(10);
    const retried = times(200, () => {
      budget.earn();
      return budget.take();
    });
    expect(Math.abs(retried.filter(Boolean).length - 20)).toBeLessThanOrEqual(1);
  });

  test('saves no more than ten', () => {
    const budget = new RetryBudget(0.1);
    times(1_000, () => budget.earn());
    expect(times(20, () => budget.take()).filter(Boolean)).toHaveLength(10);
  });

  test('of nothing ends with its reserve', () => {
    const budget = new RetryBudget(0);
    times(20, () => budget.take());
    times(1_000, () => budget.earn());
    expect(budget.take()).toBe(false);
  });
});
