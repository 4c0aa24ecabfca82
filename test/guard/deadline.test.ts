import { describe, expect, test } from '@jest/globals';
import { type Deadline, withDeadline } from '../../src/guard/deadline.ts';

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
