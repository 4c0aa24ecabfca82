import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { IdempotencyRecords, State, StoredResponse } from '../../src/state/state.ts';
import type { SmallDisk } from './small-disk.ts';

const HOUR = 3_600_000;
const lease = (now: number) => ({ now, leaseUntil: now + 17_000, expiresAt: now + 24 * HOUR });
const claim = (now = 0, fingerprint = 'a') => ({ ...lease(now), client: 'platform', fingerprint });
const response: StoredResponse = {
  status: 201,
  headers: { Location: '/patients/ana/appointments/á' },
  body: '{"name":"Muñoz \u2028 😀"}',
};
const done = { state: 'done', response } as const;

/** A store on a disk that is full refuses what it cannot keep by this code, keeps what it was told, and recovers when there is space. */
export async function fillAndFree({ idempotency, close }: State, disk: SmallDisk, code: unknown): Promise<void> {
  await idempotency.claim('before', claim());
  await idempotency.settle('before', 1, done);
  await idempotency.claim('running', claim());
  disk.fill();
  const big = { ...done, response: { ...response, body: randomBytes(100_000).toString('hex') } };
  const refused = { name: 'StateUnavailable', code };
  await expect(idempotency.settle('running', 1, big)).rejects.toMatchObject(refused);
  const claims = Array.from({ length: 300 }, (_, i) => idempotency.claim(`k${i}`, claim()));
  expect((await Promise.allSettled(claims)).at(-1)).toMatchObject({ status: 'rejected', reason: refused });
  expect(await idempotency.claim('before', claim())).toMatchObject(done);
  disk.free();
  expect(await idempotency.claim('after', claim())).toBeUndefined();
  expect(await idempotency.settle('running', 1, big)).toBe(true);
  await close();
}

/** What every store of the gateway's state promises. */
export function describeState(open: () => Promise<State> | State): void {
  let states: State[] = [];
  const openRecords = async (): Promise<IdempotencyRecords> => {
    const state = await open();
    states.push(state);
    return state.idempotency;
  };
  afterEach(async () => {
    await Promise.all(states.map((state) => state.close()));
    states = [];
  });

  describe('a key', () => {
    test('is claimed once, and then is in the way with its request and its lease', async () => {
      const records = await openRecords();
      expect(await records.claim('k', claim(1_000))).toBeUndefined();
      const record = { state: 'running', fingerprint: 'a', attempt: 1, claimedAt: 1_000, leaseUntil: 18_000 };
      expect(await records.claim('k', claim(2_000, 'b'))).toEqual(record);
      expect(await records.claim('other', claim(2_000, 'b'))).toBeUndefined();
    });

    test('is claimed by one of fifty at the same moment', async () => {
      const records = await openRecords();
      const claims = await Promise.all(Array.from({ length: 50 }, () => records.claim('k', claim())));
      expect(claims.filter((record) => record === undefined)).toHaveLength(1);
      const retaken = await Promise.all(Array.from({ length: 50 }, () => records.reclaim('k', 1, lease(20_000))));
      expect(retaken.filter(Boolean)).toHaveLength(1);
    });

    test('that is done has its response, byte by byte, and is not claimed again', async () => {
      const records = await openRecords();
      await records.claim('k', claim());
      expect(await records.settle('k', 1, done)).toBe(true);
      expect(await records.claim('k', claim(5))).toEqual({
        ...done,
        fingerprint: 'a',
        attempt: 1,
        claimedAt: 0,
        leaseUntil: 17_000,
      });
      expect(await records.reclaim('k', 1, lease(20_000))).toBe(false);
    });

    test('of unknown outcome is claimed for another attempt, and that one can end it', async () => {
      const records = await openRecords();
      await records.claim('k', claim());
      await records.settle('k', 1, { state: 'unknown' });
      expect(await records.claim('k', claim(5))).toMatchObject({ state: 'unknown', attempt: 1 });
      expect(await records.reclaim('k', 1, lease(5))).toBe(true);
      expect(await records.claim('k', claim(6))).toMatchObject({
        state: 'running',
        attempt: 2,
        claimedAt: 5,
        leaseUntil: 17_005,
      });
      expect(await records.settle('k', 2, done)).toBe(true);
      expect(await records.claim('k', claim(7))).toMatchObject({ ...done, attempt: 2 });
    });

    test('is not ended by an attempt that another one has overtaken', async () => {
      const records = await openRecords();
      await records.claim('k', claim());
      await records.reclaim('k', 1, lease(20_000));
      for (const settlement of [done, { state: 'unknown' }, { state: 'untouched' }] as const) {
        expect(await records.settle('k', 1, settlement)).toBe(false);
      }
      expect(await records.reclaim('k', 1, lease(20_000))).toBe(false);
      expect(await records.claim('k', claim(1))).toMatchObject({ state: 'running', attempt: 2 });
      await records.settle('k', 2, done);
      expect(await records.settle('k', 2, { state: 'untouched' })).toBe(false);
      expect(await records.claim('k', claim(1))).toMatchObject(done);
    });

    test('that was released is as if it had never come', async () => {
      const records = await openRecords();
      await records.claim('k', claim());
      expect(await records.settle('k', 1, { state: 'untouched' })).toBe(true);
      expect(await records.settle('k', 1, done)).toBe(false);
      expect(await records.claim('k', claim(1, 'b'))).toBeUndefined();
      expect(await records.claim('k', claim(1))).toMatchObject({ fingerprint: 'b', attempt: 1 });
    });

    test('that has expired can be claimed for another request, also before it is forgotten', async () => {
      const records = await openRecords();
      await records.claim('k', claim());
      await records.settle('k', 1, done);
      expect(await records.claim('k', claim(24 * HOUR - 1, 'b'))).toMatchObject(done);
      expect(await records.claim('k', claim(24 * HOUR, 'b'))).toBeUndefined();
      expect(await records.settle('k', 1, { state: 'unknown' })).toBe(true);
      expect(await records.claim('k', claim(24 * HOUR + 1))).toMatchObject({ state: 'unknown', fingerprint: 'b' });
    });

    test('that was settled for a shorter time is free after that', async () => {
      const records = await openRecords();
      await records.claim('k', claim());
      await records.settle('k', 1, done, HOUR);
      expect(await records.claim('k', claim(HOUR - 1, 'b'))).toMatchObject(done);
      expect(await records.claim('k', claim(HOUR, 'b'))).toBeUndefined();
    });

    test('is forgotten after its time and not before, whatever its state', async () => {
      const records = await openRecords();
      for (const hour of [0, 1, 2, 3]) await records.claim(`k${hour}`, claim(hour * HOUR));
      await records.settle('k1', 1, done);
      await records.settle('k2', 1, { state: 'unknown' });
      expect(await records.prune(24 * HOUR - 1)).toBe(0);
      expect(await records.prune(26 * HOUR)).toBe(3);
      expect(await records.settle('k2', 1, done)).toBe(false);
      expect(await records.claim('k3', claim(26 * HOUR))).toMatchObject({ state: 'running' });
      expect(await records.prune(30 * HOUR)).toBe(1);
    });
  });
}
