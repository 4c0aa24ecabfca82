import { expect, test } from '@jest/globals';
import { useGuardedGateway, wait } from '../support/guarded-gateway.ts';

const { ask, getLines, startHanging } = useGuardedGateway();

test('a caller who leaves while waiting in a bulkhead makes room there for another one', async () => {
  const { waiting, letGo } = await startHanging({
    PUENTE_GUARD_BULKHEADS_READ_RUNNING: '1',
    PUENTE_GUARD_BULKHEADS_READ_QUEUED: '1',
  });
  const running = ask('/patients/ana');
  await wait(() => waiting.length === 1);
  const leave = new AbortController();
  const left = ask('/patients/ana', { signal: leave.signal }).catch(() => undefined);
  setTimeout(() => leave.abort(), 50);
  await left;
  await wait(() => getLines().some((line) => line.includes('"status":499')));
  const next = ask('/patients/ana');
  setTimeout(letGo, 50);
  expect((await running).status).toBe(200);
  await wait(() => waiting.length === 1);
  letGo();
  expect((await next).status).toBe(200);
});

test('those who wait in a bulkhead run one after another, each when one ends', async () => {
  const { waiting, letGo } = await startHanging({
    PUENTE_GUARD_BULKHEADS_READ_RUNNING: '1',
    PUENTE_GUARD_BULKHEADS_READ_QUEUED: '2',
  });
  const asked = [1, 2, 3].map(() => ask('/patients/ana'));
  for (const _ of asked) {
    await wait(() => waiting.length > 0);
    expect(waiting).toHaveLength(1);
    letGo();
  }
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200]);
});
