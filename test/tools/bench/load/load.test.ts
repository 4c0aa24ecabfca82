import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { runClosedLoop, runOpenLoop } from './load.ts';

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
let server: Server;
let seen = 0;

async function startServer(delay: (turn: number) => number, status = 200): Promise<number> {
  seen = 0;
  server = createServer((_, res) => {
    const turn = seen++;
    setTimeout(() => res.writeHead(status, { 'Content-Length': 2 }).end('ok'), delay(turn));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('a closed loop counts every response, and has no more requests under way than connections', async () => {
  const port = await startServer(() => 10);
  const load = await runClosedLoop(port, { next: () => request, status: 200 }, { connections: 2, seconds: 0.05 });
  expect(load.completed).toBe(seen);
  expect(load.completed).toBeLessThanOrEqual(14);
  expect(Math.min(...load.latencies)).toBeGreaterThan(8);
});

test('an open loop counts from when a request was due', async () => {
  // The first is late, and the server that it stands for would have kept all of 64 connections waiting.
  const port = await startServer((turn) => (turn < 64 ? 60 : 0));
  const load = await runOpenLoop(port, { next: () => request, status: 200 }, { rate: 2_000, seconds: 0.05 });
  expect(load.completed).toBe(100);
  const late = load.latencies.filter((ms) => ms > 8).length;
  expect(late).toBe(100);
});

test('another status than the expected one ends the round', async () => {
  const port = await startServer(() => 0, 503);
  const requests = { next: () => request, status: 200 };
  await expect(runClosedLoop(port, requests, { connections: 1, seconds: 1 })).rejects.toThrow('503 instead of 200');
  await expect(runOpenLoop(port, requests, { rate: 100, seconds: 1 })).rejects.toThrow('503 instead of 200');
});
