import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startGateway } from '../support/gateway.ts';
import type { SlowCaller } from './callers/slow-body.ts';

describe('a ticket', () => {
  const slow = [
    ['of 180 kB that comes at 10 kB a second is taken', 180_000, 10_000, '201'],
    ['of 1 MB that comes at 50 kB a second is taken', 1_000_000, 50_000, '201'],
    ['of 5 MB that comes at 200 kB a second is taken', 5_000_000, 200_000, '201'],
    ['that comes at 3 kB a second is 408', 300_000, 3_000, '408'],
  ] as const;
  let outcomes: Readonly<Record<string, string>>;

  // All at once: they have connections of their own, and the bodies have room.
  beforeAll(async () => {
    const gateway = await startGateway();
    const path = '/patients/ana/ticket_type/reintegro/ticket';
    const send = async (bytes: number, bytesPerSecond: number) => {
      const options: SlowCaller = {
        port: Number(new URL(gateway.url).port),
        token: gateway.token,
        path,
        bytes,
        bytesPerSecond,
      };
      const caller = fork(join(import.meta.dirname, 'callers/slow-body.ts'), [JSON.stringify(options)]);
      const [status] = await once(caller, 'message');
      return status as string;
    };
    const statuses = await Promise.all(slow.map(([, bytes, bytesPerSecond]) => send(bytes, bytesPerSecond)));
    await gateway.stop();
    outcomes = Object.fromEntries(slow.map(([name], i) => [name, statuses[i]!]));
  });

  test.each(slow)('%s', (name, _bytes, _bytesPerSecond, status) => {
    expect(outcomes[name]).toBe(status);
  });
});
