import { describe, expect, test } from '@jest/globals';
import { choosePause, computePause, retry } from '../../src/toolkit/backoff.ts';

describe('a pause', () => {
  test('doubles with each failure in a row, up to the longest', () => {
    const pauses = [1, 2, 3, 4, 9, 2_000].map((failures) => computePause({ first: 250, longest: 5_000 }, failures));
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 5_000, 5_000]);
  });

  test.each([
    [1, 50],
    [2, 100],
    [3, 200],
    [4, 400],
    [10, 400],
  ])('between clashing callers, after %i failures, is anything up to %i ms', (failures, most) => {
    const pauses = Array.from({ length: 200 }, () => choosePause(failures));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(most);
    expect(Math.max(...pauses)).toBeGreaterThan(0.8 * most);
    expect(Math.min(...pauses)).toBeLessThan(0.2 * most);
  });
});

describe('retry', () => {
  const quick = { first: 1, longest: 1 };
  const fail = (failures: number) => {
    const seen: number[] = [];
    const work = async (earlier: number) => {
      seen.push(earlier);
      if (earlier < failures) throw new Error(`failure ${earlier}`);
      return earlier;
    };
    return { work, seen };
  };

  test('returns the first result that needs no other attempt, and tells each attempt how many came before it', async () => {
    const { work, seen } = fail(2);
    expect(await retry(work, { afterError: () => true, afterResult: (n) => n < 4, backoff: quick })).toBe(4);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  test('throws an error at once that another attempt would repeat', async () => {
    const { work, seen } = fail(9);
    const isPassing = async (error: unknown) => !String(error).includes('failure 1');
    await expect(retry(work, { afterError: isPassing, backoff: quick })).rejects.toThrow('failure 1');
    expect(seen).toEqual([0, 1]);
  });

  test('makes no more attempts than it may, and ends with what the last one brought', async () => {
    await expect(retry(fail(9).work, { afterError: () => true, attempts: 3, backoff: quick })).rejects.toThrow(
      'failure 2',
    );
    expect(await retry(fail(0).work, { afterResult: () => true, attempts: 3, backoff: quick })).toBe(2);
  });

  test('ends its pause when the signal aborts, with what the last attempt brought', async () => {
    const slow = { first: 60_000, longest: 60_000 };
    for (const [work, expected] of [
      [fail(9).work, 'Error: failure 0'],
      [fail(0).work, '0'],
    ] as const) {
      const caller = new AbortController();
      const again = () => {
        setImmediate(() => caller.abort());
        return true;
      };
      const options = { afterError: again, afterResult: again, signal: caller.signal, backoff: slow };
      expect(await retry(work, options).catch(String).then(String)).toBe(expected);
    }
  });
});
