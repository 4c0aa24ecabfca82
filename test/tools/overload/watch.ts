/**
 * Callers who do nothing wrong, in a process of their own, so that what they wait for is the gateway: a proxy that is trusted, on
 * connections that it keeps, somebody who comes on a new connection each time, and who probes either port. Sends what it saw
 * since it was last asked when its parent asks.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { addresses, type Wanted } from './row.ts';

export interface WatchOptions {
  readonly port: number;
  readonly opsPort: number;
  /** The process whose memory is watched. */
  readonly pid: number;
  readonly wanted: readonly Wanted[];
  readonly token: string;
}

/** Milliseconds, and bytes of resident memory. */
export interface Seen {
  readonly others: readonly number[];
  readonly livez: readonly number[];
  readonly ops: readonly number[];
  readonly memory: number;
  /** What was not answered as it should, and how often: by whom, and the status or the code of the error. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Milliseconds between two requests of each caller; a turn of the event loop takes one new connection. */
const EVERY = 200;
const PATIENCE = 5_000;
/** Connections that the proxy keeps and uses in turn. */
const KEPT = 20;

const { port, opsPort, pid, wanted, token }: WatchOptions = JSON.parse(process.argv[2] ?? '');
const kept = new Agent({ keepAlive: true, maxSockets: KEPT, scheduling: 'fifo', localAddress: addresses.proxy });
let seen = begin();
/** Requests that are not over. */
let pending: Promise<void>[] = [];

function begin() {
  return {
    others: [] as number[],
    livez: [] as number[],
    ops: [] as number[],
    memory: 0,
    failed: {} as Record<string, number>,
  };
}

const count = (failed: Record<string, number>, what: string): void => {
  failed[what] = (failed[what] ?? 0) + 1;
};

interface Caller {
  readonly name: string;
  readonly port: number;
  readonly from: string;
  readonly agent?: Agent;
}

/** Adds to the times how long it took, and to what failed now. */
function ask(caller: Caller, { method = 'GET', path, headers, body, status: expected = 200 }: Wanted, times: number[]) {
  const started = performance.now();
  const { failed } = seen;
  const over = new Promise<void>((resolve) => {
    const done = (status: number | string | undefined) => {
      times.push(performance.now() - started);
      if (status !== expected) count(failed, `${caller.name}: ${method} ${path} ${status}`);
      resolve();
    };
    const sent = request({
      host: '127.0.0.1',
      port: caller.port,
      method,
      path,
      headers: { Authorization: `Bearer ${token}`, ...headers },
      localAddress: caller.from,
      agent: caller.agent ?? false,
      timeout: PATIENCE,
    });
    sent
      .once('socket', (socket) => watchKept(caller, socket))
      .once('response', (response) => response.resume().once('end', () => done(response.statusCode)))
      .once('timeout', () => sent.destroy(Object.assign(new Error(), { code: 'no answer' })))
      .once('error', ({ code }: NodeJS.ErrnoException) => done(code))
      .end(body);
  });
  pending.push(over);
}

const known = new WeakSet<Socket>();

/** What is kept is used, and nobody who does nothing wrong loses it. */
function watchKept({ name, agent }: Caller, socket: Socket): void {
  if (!agent || known.has(socket)) return;
  known.add(socket);
  socket.once('close', () => count(seen.failed, `${name}: connection closed`));
}

async function repeat(act: (turn: number) => unknown): Promise<void> {
  for (let turn = 0, due = performance.now(); ; turn++) {
    void act(turn);
    due += EVERY;
    await sleep(Math.max(0, due - performance.now()));
  }
}

const readMemory = () => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
const proxy = { name: 'proxy', port, from: addresses.proxy, agent: kept };
const forwarded = { 'X-Forwarded-For': '192.0.2.1' };
const other = { name: 'other', port, from: addresses.other };
const prober = { name: 'prober', port, from: addresses.prober };
const livez = { path: '/livez' };

for (const each of Array<Wanted>(KEPT).fill(livez)) ask(proxy, each, []);
void repeat((turn) => {
  const each = wanted[turn % wanted.length];
  if (!each) return;
  ask(proxy, { ...each, headers: { ...each.headers, ...forwarded } }, seen.others);
  ask(other, each, seen.others);
});
void repeat(() => ask(prober, livez, seen.livez));
void repeat(() => ask({ ...prober, name: 'ops', port: opsPort }, livez, seen.ops));
void repeat(() => {
  try {
    seen.memory = Math.max(seen.memory, readMemory());
  } catch {
    // It has ended.
  }
});
process.on('message', async () => {
  const [past, begun] = [seen, pending];
  [seen, pending] = [begin(), []];
  // What nobody answers would be seen by nobody.
  await Promise.all(begun);
  process.send?.(past satisfies Seen);
});
process.once('disconnect', () => process.exit());
