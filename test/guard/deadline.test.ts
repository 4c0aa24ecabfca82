import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { type Deadline, waitForEnd, withDeadline } from '../../src/guard/deadline.ts';

const waitForever = () => new Promise<never>(() => {});

describe('a deadline', () => {
  test('leaves work that is done in time alone', async () => {
    await expect(withDeadline({ timeoutMs: 1_000, writes: false }, async () => 'done')).resolves.toBe('done');
  });

  test('ends a read as a timeout, even when the work ignores its signal', async () => {
    await expect(withDeadline({ timeoutMs: 10, writes: false }, waitForever)).rejects.toMatchObject({
      kind: 'timeout',
    });
  });

  test('ends a write as one whose outcome is unknown', async () => {
    await expect(withDeadline({ timeoutMs: 10, writes: true }, waitForever)).rejects.toMatchObject({
      kind: 'outcome_unknown',
    });
  });

  test('lets the work say after the abort what became of a write', async () => {
    const work = ({ signal }: Deadline) =>
      new Promise((resolve) => signal.addEventListener('abort', () => setImmediate(resolve, 'done')));
    await expect(withDeadline({ timeoutMs: 1_000, writes: true }, work)).resolves.toBe('done');
  });

  test('aborts the signal that the work was given', async () => {
    let seen: AbortSignal | undefined;
    const work = ({ signal }: Deadline) => {
      seen = signal;
      return waitForever();
    };
    await expect(withDeadline({ timeoutMs: 10, writes: false }, work)).rejects.toThrow();
    expect(seen?.aborted).toBe(true);
  });

  test('tells the work that the caller has disconnected', async () => {
    const { promise: disconnected, resolve: disconnect } = Promise.withResolvers<void>();
    const ended = withDeadline(
      { timeoutMs: 10_000, writes: false, onDisconnect: (abandon) => void disconnected.then(abandon) },
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('disconnected')))),
    );
    disconnect();
    await expect(ended).rejects.toThrow('disconnected');
  });
});

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
