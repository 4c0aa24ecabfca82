import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { Drain, RunningWrites } from '../../src/http/drain.ts';
import { parts } from '../../src/runtime/parts.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { start } from '../support/raw-connections.ts';

const CONNECTIONS = 100;

async function startToDrain() {
  const changed = { maxConnections: CONNECTIONS, maxConnectionsPerAddress: CONNECTIONS, keepAliveTimeout: 5_000 };
  const { server, port } = await start((_req, res) => void res.end('ok'), changed);
  const drain = new Drain();
  drain.watch(server);
  const run = () =>
    drain.run(server, { delay: 0, timeout: 5_000, idleTimeout: 100, signal: new AbortController().signal });
  return { port, run };
}

/** Sends a request at once, and resolves when the connection is closed to what came back, or to the code of an error. */
async function ask(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let received = '';
  socket.on('data', (text) => {
    received += text;
  });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'close').catch(({ code }) => {
    received = code;
  });
  return received;
}

test('connections that the system has taken, but not the gateway, are answered when it is told to stop', async () => {
  const { port, run } = await startToDrain();
  // Until the next turn of the event loop they wait in the queue of the system.
  const answers = Array.from({ length: CONNECTIONS }, () => ask(port));
  await run();
  const seen = await Promise.all(answers);
  expect(seen.filter((answer) => !answer.startsWith('HTTP/1.1 200 OK\r\n'))).toEqual([]);
  expect(seen).toHaveLength(CONNECTIONS);
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
});

test('a kept connection that has had its answers is closed when it has been idle, and does not hold up the end', async () => {
  const { port, run } = await startToDrain();
  const kept = connect(port, '127.0.0.1').setEncoding('utf8');
  let received = '';
  kept.on('data', (text) => {
    received += text;
  });
  for (let count = 1; count <= 2; count++) {
    kept.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    while (received.split('\r\n\r\nok').length <= count) await once(kept, 'data');
  }
  const closed = once(kept, 'close');
  // Of those that are cut after the timeout it would be one.
  expect(await run()).toBe(0);
  await closed;
});

test('connections that are closed because they are idle are none that were cut', async () => {
  const { port, run } = await startToDrain();
  const quiet = connect(port, '127.0.0.1').resume();
  await once(quiet, 'connect');
  const closed = once(quiet, 'close');
  expect(await run()).toBe(0);
  await closed;
});

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
  const drain = new Drain();
  const { writes } = drain;
  gateway = await startGateway({
    environment: { PUENTE_HTTP_READ_DEADLINE: '100', PUENTE_HTTP_WRITE_DEADLINE: '100' },
    replacePort: () => ({ get: () => hanging.promise, update: () => hanging.promise }),
    rebind: (container) => container.rebind(parts.drain).toConstantValue(drain),
  });
  const read = await gateway.ask('GET', '/patients/ana');
  expect([read.status, writes.size]).toEqual([504, 0]);
  const write = await gateway.ask('PUT', '/patients/ana', { phone: '+54 11 5555-0000' });
  expect([write.status, writes.size]).toEqual([504, 1]);
  hanging.reject(new Error('so it is'));
  await writes.waitForEnd();
});
