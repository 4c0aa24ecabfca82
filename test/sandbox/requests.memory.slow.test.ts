import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { startGateway } from '../support/gateway.ts';

test('the requests that a sandbox lists take no memory for bodies of megabytes once they are answered', async () => {
  const gateway = await startGateway();
  const measureHeap = () => {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    return process.memoryUsage().heapUsed;
  };
  const observations = 'x'.repeat(4_000_000);
  const send = () => gateway.ask('POST', '/patients/ana/ticket_type/receta/ticket', { observations, fields: [] });
  expect((await send()).status).toBe(422);
  const before = measureHeap();
  for (let count = 0; count < 10; count++) await send();
  const listed = await gateway.ask('GET', '/sandbox/requests');
  expect(JSON.parse(listed.text)).toHaveLength(11);
  expect(measureHeap() - before).toBeLessThan(8_000_000);
  await gateway.stop();
});
