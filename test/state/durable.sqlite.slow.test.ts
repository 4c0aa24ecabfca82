import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { mountSmallDisk } from '../support/small-disk.ts';
import { openState } from '../support/sqlite-state.ts';

const claim = { now: 0, leaseUntil: 1, fingerprint: 'a', expiresAt: 10 };
const done = (body: string) => ({ state: 'done', response: { status: 200, headers: {}, body } }) as const;
const disk = mountSmallDisk(512);

describe(`SQLite on a full disk${disk.obstacle === undefined ? '' : `, skipped: ${disk.obstacle}`}`, () => {
  const testOnDisk = disk.obstacle === undefined ? test : test.skip;

  testOnDisk('refuses what it cannot keep, keeps what it was told, and recovers when there is space', async () => {
    const { idempotency, close } = await openState(join(disk.path, 'state.db'));
    await idempotency.claim('before', claim);
    await idempotency.settle('before', 1, done('{}'));
    await idempotency.claim('running', claim);
    disk.fill();
    const refused = { name: 'StateUnavailable', code: expect.stringMatching(/^SQLITE_(FULL|IOERR)$/) };
    const big = done('x'.repeat(200_000));
    await expect(idempotency.settle('running', 1, big)).rejects.toMatchObject(refused);
    const claims = Array.from({ length: 300 }, (_, i) => idempotency.claim(`k${i}`, claim));
    expect((await Promise.allSettled(claims)).at(-1)).toMatchObject({ status: 'rejected', reason: refused });
    expect(await idempotency.claim('before', claim)).toMatchObject(done('{}'));
    disk.free();
    expect(await idempotency.claim('before', claim)).toMatchObject(done('{}'));
    expect(await idempotency.claim('after', claim)).toBeUndefined();
    expect(await idempotency.settle('running', 1, done('{}'))).toBe(true);
    await close();
  });
});
