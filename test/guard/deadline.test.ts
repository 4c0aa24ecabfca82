import { describe, expect, test } from '@jest/globals';
import { withDeadline } from '../../src/guard/deadline.ts';

const never = () => new Promise<never>(() => {});

describe('a deadline', () => {
  test('leaves work that is done in time alone', async () => {
    await expect(withDeadline({ within: 1_000, writes: false }, async () => 'done')).resolves.toBe('done');
  });

  test('ends a read as a timeout, even when the work ignores its signal', async () => {
    await expect(withDeadline({ within: 10, writes: false }, never)).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('ends a write as one whose outcome is unknown', async () => {
    await expect(withDeadline({ within: 10, writes: true }, never)).rejects.toMatchObject({ kind: 'outcome_unknown' });
  });

  test('aborts the signal that the work was given', async () => {
    let seen: AbortSignal | undefined;
    const work = (signal: AbortSignal) => {
      seen = signal;
      return never();
    };
    await expect(withDeadline({ within: 10, writes: false }, work)).rejects.toThrow();
    expect(seen?.aborted).toBe(true);
  });

  test('passes a hang-up on to the work', async () => {
    const hangup = new AbortController();
    const ended = withDeadline(
      { within: 10_000, writes: false, hangup: hangup.signal },
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('hung up')))),
    );
    hangup.abort();
    await expect(ended).rejects.toThrow('hung up');
  });
});
