import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startGateway } from '../support/gateway.ts';
import type { WritingCaller } from './callers/writes.ts';

const start = (file: string, ...args: readonly string[]): ChildProcess =>
  fork(join(import.meta.dirname, 'callers', file), args);

// Elsewhere only 127.0.0.1 is an address of the machine.
const run = process.platform === 'linux' ? test : test.skip;

run('no write of a platform is cut for 1,100 silent connections from 550 addresses (only on Linux)', async () => {
  const gateway = await startGateway({
    replacePort: (name, port) =>
      name === 'tickets' ? { type: () => sleep(2_000).then(() => Promise.reject(new Error('none'))) } : port,
    environment: { PUENTE_GUARD_BULKHEADS_WRITE_RUNNING: '64' },
  });
  const { port } = new URL(gateway.url);
  const path = '/patients/ana/ticket_type/reintegro/ticket';
  const options: WritingCaller = { port: Number(port), token: gateway.token, path, connections: 40, each: 2 };
  const platform = start('writes.ts', JSON.stringify(options));
  const written = once(platform, 'message');
  await sleep(1_000);
  const attacker = start('silent-connections.ts', port, '1100');
  await once(attacker, 'message');
  const [counts] = await written;
  attacker.kill('SIGKILL');
  await once(attacker, 'exit');
  await gateway.stop();
  // The answer of an adapter that fails.
  expect(counts).toEqual({ 500: 80 });
});
