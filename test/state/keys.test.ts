import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openSqlite } from '../../src/database/sqlite.ts';
import { openDurableState } from '../../src/state/open.ts';

test('a gateway serves requests while expired keys are deleted', async () => {
  const { idempotency, close } = await openDurableState(await openSqlite(':memory:'), randomBytes(32));
  const claim = { client: 'a', fingerprint: 'f', now: 0, leaseUntil: 1, expiresAt: 2 };
  for (let i = 0; i < 3_500; i++) await idempotency.claim(String(i), claim);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  expect(await idempotency.prune(3)).toBe(3_500);
  clearInterval(timer);
  await close();
  expect(turns).toBeGreaterThanOrEqual(3);
});
