import { expect, test } from '@jest/globals';
import { Log } from '../../src/ports/index.ts';
import { watchState } from '../../src/runtime/watched-state.ts';
import { createMemoryState } from '../../src/state/memory.ts';
import { StateUnavailable } from '../../src/state/state.ts';

const claim = { now: 0, leaseUntil: 1, fingerprint: 'a', expiresAt: 10 };

class Events extends Log {
  readonly all: string[] = [];
  write(level: string, event: string, { cause = '' } = {}): void {
    this.all.push(`${level} ${event} ${cause}`.trim());
  }
}

test('a store that does not answer is an impairment until it does, and each change is one log line', async () => {
  const log = new Events();
  const store = createMemoryState();
  const { claim: ask } = store.idempotency;
  const state = watchState(store, log);
  await state.idempotency.claim('a', claim);
  expect([state.impairments, log.all]).toEqual([[], []]);

  store.idempotency.claim = async () => {
    throw new StateUnavailable('full', 'SQLITE_FULL');
  };
  for (const key of ['b', 'c']) {
    await expect(state.idempotency.claim(key, claim)).rejects.toThrow(StateUnavailable);
  }
  expect(state.impairments).toEqual([expect.objectContaining({ code: 'state_unavailable' })]);

  store.idempotency.claim = ask;
  expect(await state.idempotency.claim('a', claim)).toMatchObject({ state: 'running' });
  expect(state.impairments).toEqual([]);
  expect(log.all).toEqual(['error state unavailable SQLITE_FULL', 'info state recovered']);
  await state.close();
});
