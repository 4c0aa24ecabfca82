import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Cached } from '../../adapters/cached.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const waiting = () => ({ signal: new AbortController().signal });
const later = (milliseconds: number) => {
  const now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now + milliseconds);
};

/** A cache of how often it was loaded; each load ends when `finish` is called. */
function createCounter({ ttlMs = 1_000, timeoutMs = 10_000 } = {}) {
  const loads: { finish: (error?: Error) => void; signal: AbortSignal }[] = [];
  const cached = new Cached<number>(
    ({ signal }) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const count = loads.length + 1;
      loads.push({ signal, finish: (error) => (error ? reject(error) : resolve(count)) });
      return promise;
    },
    { ttlMs: () => ttlMs, timeoutMs },
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

  test('is loaded again when it was dropped, and kept when it is not stale', async () => {
    const { cached, loads } = createCounter();
    const first = cached.get(waiting());
    loads[0]?.finish();
    await first;
    cached.drop((value) => value === 7);
    expect(await cached.get(waiting())).toBe(1);
    cached.drop((value) => value === 1);
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
});
