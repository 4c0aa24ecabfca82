import { afterAll, expect, test } from '@jest/globals';
import { RunningWrites } from '../../src/http/drain.ts';
import { parts } from '../../src/runtime/parts.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

let gateway: RunningGateway | undefined;
afterAll(() => gateway?.stop());

test('the running writes are over when the last one is, though one fails and another begins meanwhile', async () => {
  const writes = new RunningWrites();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  writes.add(first.promise).catch(() => void writes.add(second.promise));
  let over = false;
  const end = writes.waitForEnd().then(() => {
    over = true;
  });
  first.reject(new Error('so it is'));
  await new Promise(setImmediate);
  expect([over, writes.size]).toEqual([false, 1]);
  second.resolve();
  await end;
  expect(writes.size).toBe(0);
});

test('a write that was answered at its deadline is running until its adapter ends, and no read is', async () => {
  const hanging = Promise.withResolvers<never>();
  const writes = new RunningWrites();
  gateway = await startGateway({
    environment: { PUENTE_HTTP_READ_DEADLINE: '100', PUENTE_HTTP_WRITE_DEADLINE: '100' },
    replacePort: () => ({ get: () => hanging.promise, update: () => hanging.promise }),
    rebind: (container) => container.rebind(parts.runningWrites).toConstantValue(writes),
  });
  const read = await gateway.ask('GET', '/patients/ana');
  expect([read.status, writes.size]).toEqual([504, 0]);
  const write = await gateway.ask('PUT', '/patients/ana', { phone: '+54 11 5555-0000' });
  expect([write.status, writes.size]).toEqual([504, 1]);
  hanging.reject(new Error('so it is'));
  await writes.waitForEnd();
});
