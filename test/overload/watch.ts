/**
 * A caller like any other, in a process of its own, so that what it waits for is the gateway: steady requests of one operation
 * on kept connections, and probes on new connections. Sends what it saw when its parent sends `stop`.
 */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface WatchOptions {
  readonly port: number;
  readonly opsPort: number;
  /** The process whose memory is watched. */
  readonly pid: number;
  /** What the steady caller asks for. */
  readonly path: string;
  readonly token: string;
}

/** Milliseconds, and bytes of resident memory. */
export interface Seen {
  readonly others: readonly number[];
  readonly livez: readonly number[];
  readonly ops: readonly number[];
  readonly largestMemory: number;
  /** How many were answered otherwise than with 200. */
  readonly failed: number;
}

const EVERY = 10;
const PROBE_EVERY = 50;
const WARM_UP = 1_000;

const { port, opsPort, pid, path, token }: WatchOptions = JSON.parse(process.argv[2] ?? '');
// From another address than the attack, whose connections are counted together.
const agent = new Agent({ keepAlive: true, maxSockets: 8, localAddress: '127.0.0.2' });
const others: number[] = [];
const livez: number[] = [];
const ops: number[] = [];
let largestMemory = 0;
let failed = 0;
let watching = true;

function ask(into: number[], from: number, what: string, kept?: Agent): Promise<void> {
  const started = performance.now();
  const options = { host: '127.0.0.1', port: from, path: what, localAddress: '127.0.0.2', agent: kept ?? false };
  return new Promise((resolve) => {
    const done = (status: number | undefined) => {
      into.push(performance.now() - started);
      if (status !== 200) failed += 1;
      resolve();
    };
    get({ ...options, headers: kept ? { Authorization: `Bearer ${token}` } : {} }, (response) => {
      response.resume().once('end', () => done(response.statusCode));
    }).once('error', () => done(undefined));
  });
}

async function repeat(every: number, act: () => Promise<void> | void): Promise<void> {
  const pending = new Set<Promise<void>>();
  for (let due = performance.now(); watching; due += every) {
    const asked = Promise.resolve(act()).finally(() => pending.delete(asked));
    pending.add(asked);
    await sleep(Math.max(0, due + every - performance.now()));
  }
  await Promise.all(pending);
}

const readMemory = () => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

const over = Promise.all([
  repeat(EVERY, () => ask(others, port, path, agent)),
  repeat(PROBE_EVERY, () => ask(livez, port, '/livez')),
  repeat(PROBE_EVERY, () => ask(ops, opsPort, '/livez')),
  repeat(PROBE_EVERY, () => {
    largestMemory = Math.max(largestMemory, readMemory());
  }),
]);

process.once('message', async () => {
  watching = false;
  await over;
  process.send?.({ others, livez, ops, largestMemory, failed } satisfies Seen, () => process.exit());
});
// Its own code is slow at first.
await sleep(WARM_UP);
for (const times of [others, livez, ops]) times.length = 0;
process.send?.('watching');
