import { describe, expect, test } from '@jest/globals';
import { createMemoryState } from '../../src/state/memory.ts';
import { StateUnavailable } from '../../src/state/state.ts';
import { describeState } from '../support/state-contract.ts';

const claim = { now: 0, leaseUntil: 1, fingerprint: 'a', expiresAt: 10 };
const finish = (body: string) => ({ state: 'done', response: { status: 200, headers: {}, body } }) as const;

describe('memory', () => {
  describeState(createMemoryState);

  test('forgets the oldest response when it holds as many keys as it may', async () => {
    const { idempotency } = createMemoryState({ maxRecords: 3 });
    for (const key of ['running', 'first', 'second']) await idempotency.claim(key, claim);
    for (const key of ['second', 'first']) await idempotency.settle(key, 1, finish('{}'));
    expect(await idempotency.claim('new', claim)).toBeUndefined();
    expect(await idempotency.claim('first', claim)).toMatchObject({ state: 'done' });
    expect(await idempotency.claim('running', claim)).toMatchObject({ state: 'running' });
    expect(await idempotency.claim('second', claim)).toBeUndefined();
  });

  test('refuses a new key when all that it holds are not done', async () => {
    const { idempotency } = createMemoryState({ maxRecords: 2 });
    for (const key of ['running', 'unknown']) await idempotency.claim(key, claim);
    await idempotency.settle('unknown', 1, { state: 'unknown' });
    await expect(idempotency.claim('new', claim)).rejects.toThrow(StateUnavailable);
    await idempotency.settle('running', 1, { state: 'released' });
    expect(await idempotency.claim('new', claim)).toBeUndefined();
  });

  test('forgets the oldest responses when they are longer than it may hold', async () => {
    const { idempotency } = createMemoryState({ maxCharacters: 10 });
    for (const key of ['a', 'b', 'c']) await idempotency.claim(key, claim);
    for (const key of ['a', 'b', 'c']) await idempotency.settle(key, 1, finish('12345'));
    expect(await idempotency.claim('b', claim)).toMatchObject({ state: 'done' });
    expect(await idempotency.claim('c', claim)).toMatchObject({ state: 'done' });
    expect(await idempotency.claim('a', claim)).toBeUndefined();
  });

  test('holds 64 MiB of responses, unless told otherwise', async () => {
    const { idempotency } = createMemoryState();
    const half = 'x'.repeat(32 * 1024 * 1024);
    for (const key of ['first', 'second', 'third']) await idempotency.claim(key, claim);
    for (const key of ['first', 'second']) await idempotency.settle(key, 1, finish(half));
    expect(await idempotency.claim('first', claim)).toMatchObject({ state: 'done' });
    await idempotency.settle('third', 1, finish('x'));
    expect(await idempotency.claim('second', claim)).toMatchObject({ state: 'done' });
    expect(await idempotency.claim('first', claim)).toBeUndefined();
  });

  test('has a clock that does not go back with that of the machine', () => {
    const { now } = createMemoryState();
    const before = now();
    const machine = Date.now;
    Date.now = () => 0;
    try {
      expect(now()).toBeGreaterThanOrEqual(before);
    } finally {
      Date.now = machine;
    }
  });
});
