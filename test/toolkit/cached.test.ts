import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Cached } from '../../src/toolkit/cached.ts';
import { takeClocks } from '../support/clock.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const waiting = () => ({ signal: new AbortController().signal });
const later = (milliseconds: number) => {
  const now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now + milliseconds);
};

/** A cache of how often it was loaded; each load ends when `finish` is called. */
function createCounter({
  ttlMs = 1_000,
  timeoutMs = 10_000,
  staleMs,
  inBackground = false,
}: {
  ttlMs?: number;
  timeoutMs?: number;
  staleMs?: number;
  inBackground?: boolean;
} = {}) {
  const loads: { finish: (error?: Error) => void; signal: AbortSignal }[] = [];
  const cached = new Cached<number>(
    ({ signal }) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const count = loads.length + 1;
      loads.push({ signal, finish: (error) => (error ? reject(error) : resolve(count)) });
      return promise;
    },
    { ttlMs: () => ttlMs, timeoutMs, ...(staleMs !== undefined && { staleMs: () => staleMs }), inBackground },
  );
  return { cached, loads };
}

describe('a cached value', () => {
  test('is loaded once for all who ask while it is loaded', async () => {
    const { cached, loads } = createCounter();
    const values = [cached.get(waiting()), cached.get(waiting()), cached.get(waiting())];
    loads[0]?.finish();
    expect(await Promise.all(values)).toEqual([1, 1, 1]);
    expect(loads).toHaveLength(1);
  });

  test('is loaded again when its time is over, and not before', async () => {
    const { cached, loads } = createCounter();
    const first = cached.get(waiting());
    loads[0]?.finish();
    await first;
    later(900);
    expect(await cached.get(waiting())).toBe(1);
    later(1_100);
    const second = cached.get(waiting());
    loads[1]?.finish();
    expect(await second).toBe(2);
  });

  test('is not given to who has no time left, though it is there', async () => {
    const { cached, loads } = createCounter();
    const first = cached.get(waiting());
    loads[0]?.finish();
    await first;
    await expect(cached.get({ signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'timeout' });
    expect(await cached.get(waiting())).toBe(1);
  });

  test('is still loaded for the others when one caller aborts, and for the one who came first too', async () => {
    const { cached, loads } = createCounter();
    const caller = new AbortController();
    const first = cached.get({ signal: caller.signal });
    const second = cached.get(waiting());
    caller.abort();
    await expect(first).rejects.toMatchObject({ kind: 'timeout' });
    expect(loads[0]?.signal.aborted).toBe(false);
    loads[0]?.finish();
    expect(await second).toBe(1);
  });

  test('is no longer held by the signal of a caller who has it', async () => {
    const { cached, loads } = createCounter();
    const caller = waiting();
    const value = cached.get(caller);
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1);
    loads[0]?.finish();
    await value;
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });

  test('is not loaded for a caller who has gone', async () => {
    const { cached, loads } = createCounter();
    await expect(cached.get({ signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'timeout' });
    expect(loads).toHaveLength(0);
  });

  test('is loaded again after a load that failed', async () => {
    const { cached, loads } = createCounter();
    const first = cached.get(waiting());
    loads[0]?.finish(new Error('no'));
    await expect(first).rejects.toThrow('no');
    const second = cached.get(waiting());
    loads[1]?.finish();
    expect(await second).toBe(2);
  });

  test('gets no longer to load than it may take', async () => {
    const { cached, loads } = createCounter({ timeoutMs: 1 });
    const value = cached.get(waiting());
    await new Promise((resolve) => loads[0]?.signal.addEventListener('abort', resolve));
    loads[0]?.finish(new Error('stopped'));
    await expect(value).rejects.toThrow('stopped');
  });

  test('that ended while it could not be loaded is there again seconds after it can be, however long it could not', async () => {
    const moveClocks = takeClocks();
    const startedAt = performance.now();
    const getElapsed = () => performance.now() - startedAt;
    const cached = new Cached<number>(
      async () => {
        if (getElapsed() > 1_000 && getElapsed() < 32_000) throw new Error('it restarts');
        return 1;
      },
      { ttlMs: () => 15_000, staleMs: () => 15_000, timeoutMs: 1_000, inBackground: true },
    );
    await cached.get(waiting());
    let failedUntil = 0;
    for (let elapsed = 0; elapsed < 50_000; elapsed += 50) {
      await cached.get(waiting()).catch(() => {
        failedUntil = getElapsed();
      });
      moveClocks(50);
    }
    expect(failedUntil).toBeGreaterThan(31_000);
    expect(failedUntil).toBeLessThan(35_000);
  });

  test('that could not be loaded for a while is loaded before the old one may no longer be used, if it can be by then', async () => {
    const moveClocks = takeClocks();
    const startedAt = performance.now();
    let loads = 0;
    const cached = new Cached<number>(
      async () => {
        loads += 1;
        const elapsed = performance.now() - startedAt;
        if (elapsed > 1_000 && elapsed < 23_500) throw new Error('it restarts');
        return loads;
      },
      { ttlMs: () => 15_000, staleMs: () => 15_000, timeoutMs: 1_000, inBackground: true },
    );
    await cached.get(waiting());
    for (let elapsed = 0; elapsed < 35_000; elapsed += 50) {
      await cached.get(waiting());
      moveClocks(50);
    }
    expect(loads).toBeLessThan(15);
  });
});

describe('a cached value that may be used beyond its time', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    // A spy on a fake timer would put that back.
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  const no = new Error('no');

  /** A value of the first load that is now 1,100 ms old and may become 6,000. */
  async function createStale() {
    const { cached, loads } = createCounter({ staleMs: 5_000 });
    const first = cached.get(waiting());
    loads[0]?.finish();
    await first;
    jest.advanceTimersByTime(1_100);
    return { cached, loads };
  }

  /** Fails the load that is running. */
  async function fail({ cached, loads }: Awaited<ReturnType<typeof createStale>>) {
    const value = cached.get(waiting());
    loads.at(-1)?.finish(no);
    return value;
  }

  test('is loaded anew for who asks, if that takes no longer than half a second', async () => {
    const { cached, loads } = await createStale();
    const value = cached.get(waiting());
    jest.advanceTimersByTime(490);
    loads[1]?.finish();
    expect(await value).toBe(2);
    expect(cached.isStale).toBe(false);
  });

  test('is given while the load goes on: after half a second, and to the next at once', async () => {
    const { cached, loads } = await createStale();
    const value = cached.get(waiting());
    await jest.advanceTimersByTimeAsync(510);
    expect(await value).toBe(1);
    const next = cached.get(waiting());
    await jest.advanceTimersByTimeAsync(1);
    expect(await next).toBe(1);
    expect(loads).toHaveLength(2);
    loads[1]?.finish();
    await jest.advanceTimersByTimeAsync(1);
    expect(await cached.get(waiting())).toBe(2);
  });

  test('is given at once where the load has lasted too long already, without a timer in the past', async () => {
    const { cached } = await createStale();
    const first = cached.get(waiting());
    await jest.advanceTimersByTimeAsync(700);
    expect(await first).toBe(1);
    const timer = jest.spyOn(globalThis, 'setTimeout');
    const second = cached.get(waiting());
    await jest.advanceTimersByTimeAsync(1);
    expect(await second).toBe(1);
    expect(timer.mock.calls.every(([, milliseconds = 0]) => milliseconds >= 0)).toBe(true);
  });

  test('is given when the load fails, and called stale until one succeeds', async () => {
    const stale = await createStale();
    expect(await fail(stale)).toBe(1);
    expect(stale.cached.isStale).toBe(true);
    const value = stale.cached.get(waiting());
    stale.loads[2]?.finish();
    expect(await value).toBe(3);
    expect(stale.cached.isStale).toBe(false);
  });

  test('is not loaded for half a second after two failures, and for a second after three', async () => {
    const stale = await createStale();
    await fail(stale);
    await fail(stale);
    for (const [pause, count] of [
      [490, 3],
      [10, 4],
      [990, 4],
      [10, 5],
    ] as const) {
      jest.advanceTimersByTime(pause);
      expect(await fail(stale)).toBe(1);
      expect(stale.loads).toHaveLength(count);
    }
  });

  test('is not given when its time is over for good; who asks then fails at once, and not with a load each', async () => {
    const stale = await createStale();
    await fail(stale);
    await fail(stale);
    jest.advanceTimersByTime(5_000);
    await expect(fail(stale)).rejects.toThrow('no');
    expect(stale.loads).toHaveLength(4);
    await Promise.all(Array.from({ length: 50 }, () => expect(stale.cached.get(waiting())).rejects.toThrow('no')));
    expect(stale.loads).toHaveLength(4);
  });

  test('that never was there lets nobody wait for longer than half a second after a failure', async () => {
    const { cached, loads } = createCounter({ staleMs: 5_000 });
    const first = cached.get(waiting());
    loads[0]?.finish(no);
    await expect(first).rejects.toThrow('no');
    const second = expect(cached.get(waiting())).rejects.toThrow('no');
    await jest.advanceTimersByTimeAsync(510);
    await second;
    loads[1]?.finish();
    await jest.advanceTimersByTimeAsync(1);
    expect(await cached.get(waiting())).toBe(2);
  });

  test('is not given to a caller who has gone', async () => {
    const { cached } = await createStale();
    await expect(cached.get({ signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('that is renewed in the background is given at once, and the new one when it is there', async () => {
    const { cached, loads } = createCounter({ staleMs: 5_000, inBackground: true });
    const first = cached.get(waiting());
    loads[0]?.finish();
    await first;
    jest.advanceTimersByTime(1_100);
    expect(await Promise.all([cached.get(waiting()), cached.get(waiting())])).toEqual([1, 1]);
    expect(loads).toHaveLength(2);
    loads[1]?.finish(no);
    await jest.advanceTimersByTimeAsync(1);
    expect(await cached.get(waiting())).toBe(1);
    loads[2]?.finish();
    await jest.advanceTimersByTimeAsync(1);
    expect(await cached.get(waiting())).toBe(3);
  });

  test('that is renewed in the background is waited for when the old one is used no more', async () => {
    const { cached, loads } = createCounter({ staleMs: 5_000, inBackground: true });
    const first = cached.get(waiting());
    loads[0]?.finish();
    await first;
    jest.advanceTimersByTime(6_100);
    const second = cached.get(waiting());
    loads[1]?.finish();
    expect(await second).toBe(2);
  });
});
