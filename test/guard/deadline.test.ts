import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { waitForEnd } from '../../src/guard/deadline.ts';

const waitForever = () => new Promise<never>(() => {});

describe('what work keeps', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Whether it is given back after so many milliseconds, by the clock of the test alone. */
  const isGivenBack = async (ended: Promise<void>, ms: number): Promise<boolean> => {
    let given = false;
    void ended.then(() => {
      given = true;
    });
    await jest.advanceTimersByTimeAsync(ms);
    return given;
  };

  test.each(['resolves', 'rejects'])('is given back as soon as it %s', async (end) => {
    jest.useFakeTimers();
    const work = Promise.withResolvers<void>();
    const ended = waitForEnd(work.promise, { passed: waitForever() }, 5_000);
    expect(await isGivenBack(ended, 60_000)).toBe(false);
    if (end === 'resolves') work.resolve();
    else work.reject(new Error('so it is'));
    expect(await isGivenBack(ended, 0)).toBe(true);
  });

  test('is given back some time after the deadline of work that never ends, and no earlier', async () => {
    jest.useFakeTimers();
    const ended = waitForEnd(waitForever(), { passed: Promise.reject(new Error('passed')) }, 5_000);
    expect(await isGivenBack(ended, 4_999)).toBe(false);
    expect(await isGivenBack(ended, 1)).toBe(true);
  });
});
