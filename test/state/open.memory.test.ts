import { describe, expect, test } from '@jest/globals';
import { createMemoryState } from '../../src/state/open.ts';
import { StateUnavailable } from '../../src/state/state.ts';
import { describeState } from '../support/state-contract.ts';

const claim = { client: 'one', now: 0, leaseUntil: 1, fingerprint: 'a', expiresAt: 10 };
const others = { ...claim, client: 'another' };
const finish = (body: string) => ({ state: 'done', response: { status: 200, headers: {}, body } }) as const;

describe('memory', () => {
  describeState(createMemoryState);

  test('forgets the oldest response of a client that holds a quarter of all keys, for its next one', async () => {
    const { idempotency } = createMemoryState({ maxRecords: 12 });
    for (const key of ['running', 'first', 'second']) await idempotency.claim(key, claim);
    for (const key of ['second', 'first']) await idempotency.settle(key, 1, finish('{}'));
    expect(await idempotency.claim('new', claim)).toBeUndefined();
    expect(await idempotency.claim('first', claim)).toMatchObject({ state: 'done' });
    expect(await idempotency.claim('running', claim)).toMatchObject({ state: 'running' });
    expect(await idempotency.claim('second', claim)).toBeUndefined();
  });

  test('forgets no response for another client, however many keys that sends', async () => {
    const { idempotency } = createMemoryState({ maxRecords: 100 });
    await idempotency.claim('theirs', others);
    await idempotency.settle('theirs', 1, finish('{}'));
    for (let i = 0; i < 200; i++) {
      await idempotency.claim(`${i}`, claim);
      await idempotency.settle(`${i}`, 1, finish('{}'));
    }
    expect(await idempotency.claim('0', claim)).toBeUndefined();
    expect(await idempotency.claim('theirs', others)).toMatchObject({ state: 'done' });
  });

  test('refuses a new key when clients together hold as many as it may, until some have expired', async () => {
    const { idempotency } = createMemoryState({ maxRecords: 4 });
    for (const client of ['a', 'b', 'c', 'd']) {
      await idempotency.claim(client, { ...claim, client });
      await idempotency.settle(client, 1, finish('{}'));
    }
    await expect(idempotency.claim('new', claim)).rejects.toMatchObject({ code: 'too_many_keys' });
    expect(await idempotency.claim('a', { ...claim, client: 'a' })).toMatchObject({ state: 'done' });
    await idempotency.prune(10);
    expect(await idempotency.claim('new', claim)).toBeUndefined();
  });

  test('refuses a new key when all that its client holds are not done', async () => {
    const { idempotency } = createMemoryState({ maxRecords: 8 });
    for (const key of ['running', 'unknown']) await idempotency.claim(key, claim);
    await idempotency.settle('unknown', 1, { state: 'unknown' });
    await expect(idempotency.claim('new', claim)).rejects.toThrow(StateUnavailable);
    await idempotency.settle('running', 1, { state: 'untouched' });
    expect(await idempotency.claim('new', claim)).toBeUndefined();
  });

  test('forgets the oldest responses of a client that are longer than a quarter of what it may hold', async () => {
    const { idempotency } = createMemoryState({ maxCharacters: 40 });
    await idempotency.claim('theirs', others);
    await idempotency.settle('theirs', 1, finish('12345'));
    for (const key of ['a', 'b', 'c']) await idempotency.claim(key, claim);
    for (const key of ['a', 'b', 'c']) await idempotency.settle(key, 1, finish('12345'));
    expect(await idempotency.claim('b', claim)).toMatchObject({ state: 'done' });
    expect(await idempotency.claim('c', claim)).toMatchObject({ state: 'done' });
    expect(await idempotency.claim('theirs', others)).toMatchObject({ state: 'done' });
    expect(await idempotency.claim('a', claim)).toBeUndefined();
  });

  test('holds 16 MiB of responses of each client and 64 MiB of all, unless told otherwise', async () => {
    const { idempotency } = createMemoryState();
    const half = 'x'.repeat(8 * 1024 * 1024);
    for (const client of ['a', 'b', 'c', 'd']) {
      for (const key of [`${client}1`, `${client}2`]) await idempotency.claim(key, { ...claim, client });
      for (const key of [`${client}1`, `${client}2`]) await idempotency.settle(key, 1, finish(half));
      expect(await idempotency.claim(`${client}1`, { ...claim, client })).toMatchObject({ state: 'done' });
    }
    await expect(idempotency.claim('e', { ...claim, client: 'e' })).rejects.toMatchObject({ code: 'too_many_keys' });
    await idempotency.prune(10);
    for (const key of ['1', '2', '3']) {
      await idempotency.claim(key, claim);
      await idempotency.settle(key, 1, finish(half));
    }
    expect(await idempotency.claim('1', claim)).toBeUndefined();
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
