import { describe, expect, test } from '@jest/globals';
import {
  computeQuantile,
  formatNumber,
  formatSummary,
  summarize,
  summarizeDifference,
  summarizeRatio,
} from './statistics.ts';

describe('the statistics of the benchmark', () => {
  test('a quantile lies between two values in proportion', () => {
    expect(computeQuantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(computeQuantile([10, 20, 30, 40, 50], 0.25)).toBe(20);
    expect(computeQuantile([0, 100], 0.99)).toBe(99);
    expect(computeQuantile([7], 0.75)).toBe(7);
    expect(computeQuantile([], 0.5)).toBeNaN();
  });

  test('a summary has the median and the quartiles, in whatever order the values came', () => {
    expect(summarize([50, 10, 30, 20, 40])).toEqual({ median: 30, lower: 20, upper: 40 });
  });

  test('a ratio is taken round by round, so that a slow round of both changes nothing', () => {
    expect(summarizeRatio([20, 200, 22], [10, 100, 11])).toEqual({ median: 2, lower: 2, upper: 2 });
    expect(summarizeDifference([20, 105, 16], [10, 100, 11])).toEqual({ median: 5, lower: 5, upper: 7.5 });
  });

  test('numbers have three significant digits', () => {
    expect([0.3749, 8.649, 64.49, 1234.5, 0, Number.NaN].map(formatNumber)).toEqual([
      '0.37',
      '8.65',
      '64.5',
      '1235',
      '0.00',
      '-',
    ]);
    expect(formatSummary({ median: 0.371, lower: 0.35, upper: 0.389 })).toBe('0.37 [0.35-0.39]');
  });
});
