import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openSqlite } from '../../src/database/sqlite.ts';
import { Idempotency } from '../../src/guard/idempotency.ts';
import { openDurableState } from '../../src/state/open.ts';

const HOUR = 3_600_000;
const refused = { status: 404, headers: { 'Content-Type': 'application/problem+json' }, body: 'x'.repeat(300) };

test('writes that are refused for hours take no more room in SQLite than those of ten minutes', async () => {
  const database = await openSqlite(':memory:');
  const state = await openDurableState(database, randomBytes(32));
  let now = Date.UTC(2026, 10, 26);
  const idempotency = new Idempotency({ ...state, now: () => now }, { write: () => undefined }, 24 * HOUR);
  const countPages = async () => Number(Object.values((await database.query('PRAGMA page_count'))[0]!)[0]);
  const refuse = async (key: string) => {
    const request = {
      requestId: key,
      client: 'platform',
      idempotencyKey: key,
      content: [],
      retryable: true,
      timeoutMs: 1_000,
      signal: new AbortController().signal,
    };
    const attempt = () => Promise.reject(new Error('there is no such patient'));
    await expect(idempotency.once(request, attempt, () => ({ state: 'done', response: refused }))).rejects.toThrow();
  };
  const sizes: number[] = [];
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 10_050; i++) await refuse(`${round} ${i}`);
    sizes.push(await countPages());
    now += 601_000;
    expect(await state.idempotency.prune(now)).toBe(10_050);
  }
  expect(sizes[0]).toBeGreaterThan(1_000);
  for (const size of sizes) expect(size).toBeLessThan(sizes[0]! * 1.1);
  await state.close();
});
