import { describe, expect, test } from '@jest/globals';
import { chooseRetryPause, pauseBeforeRetry } from '../../src/http-client/retry.ts';

describe('the pause before a retry', () => {
  test.each([
    [0, 50],
    [1, 100],
    [2, 200],
    [3, 400],
    [9, 400],
  ])('after %i tries is anything up to %i ms', (tries, most) => {
    const pauses = Array.from({ length: 200 }, () => chooseRetryPause(tries));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(most);
    expect(Math.max(...pauses)).toBeGreaterThan(0.8 * most);
    expect(Math.min(...pauses)).toBeLessThan(0.2 * most);
  });

  test('ends without an error when the signal aborts', async () => {
    await expect(pauseBeforeRetry(9, AbortSignal.abort())).resolves.toBeUndefined();
  });
});
