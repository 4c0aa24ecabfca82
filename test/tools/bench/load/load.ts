import { Connection } from './connection.ts';

/** What is sent: the bytes of each next request, and the status that every response must have. */
export interface Requests {
  readonly next: () => string | Buffer;
  readonly status: number;
}

/** What came of it. Latencies are in milliseconds. */
export interface Load {
  readonly completed: number;
  readonly seconds: number;
  readonly latencies: readonly number[];
}

export interface ClosedLoopOptions {
  readonly connections: number;
  readonly seconds: number;
}

export interface OpenLoopOptions {
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
}

/**
 * Each connection sends its next request when it has the response to the last one: the most that the server can do.
 * @throws Error at the first response with another status.
 */
export async function runClosedLoop(
  port: number,
  { next, status: expected }: Requests,
  { connections: count, seconds }: ClosedLoopOptions,
): Promise<Load> {
  const connections = await openConnections(port, count);
  const latencies: number[] = [];
  const begun = performance.now();
  const until = begun + 1_000 * seconds;
  await Promise.all(
    connections.map(
      (connection) =>
        new Promise<void>((resolve, reject) => {
          const send = () => {
            const sent = performance.now();
            if (sent >= until) return resolve();
            connection.send(next(), (status) => {
              if (status !== expected) return reject(new Error(`${status} instead of ${expected}`));
              latencies.push(performance.now() - sent);
              send();
            });
          };
          send();
        }),
    ),
  ).finally(() => closeAll(connections));
  return { completed: latencies.length, seconds: (performance.now() - begun) / 1_000, latencies };
}

/**
 * Sends at a fixed rate, whether the server keeps up or not. Latency counts from when a request was due, so that one which
 * had to wait for a stalled server, or for a new connection, is not left out.
 * @throws Error at the first response with another status.
 */
export async function runOpenLoop(
  port: number,
  { next, status: expected }: Requests,
  { rate, seconds }: OpenLoopOptions,
): Promise<Load> {
  const connections = await openConnections(port, 64);
  const idle = [...connections];
  const waiting: number[] = [];
  const latencies: number[] = [];
  const total = Math.floor(rate * seconds);
  const begun = performance.now();
  let due = 0;
  await new Promise<void>((resolve, reject) => {
    const send = (connection: Connection, intended: number) =>
      connection.send(next(), (status) => {
        if (status !== expected) return reject(new Error(`${status} instead of ${expected}`));
        latencies.push(performance.now() - intended);
        if (latencies.length === total) return resolve();
        const overdue = waiting.shift();
        if (overdue === undefined) idle.push(connection);
        else send(connection, overdue);
      });
    const tick = () => {
      for (const now = performance.now(); due < total && begun + (1_000 * due) / rate <= now; due++) {
        const intended = begun + (1_000 * due) / rate;
        const connection = idle.pop();
        if (connection) send(connection, intended);
        else waiting.push(intended);
      }
      if (due < total) setTimeout(tick, 1);
    };
    tick();
  }).finally(() => closeAll(connections));
  return { completed: total, seconds: (performance.now() - begun) / 1_000, latencies };
}

const openConnections = (port: number, count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, () => Connection.open(port)));

const closeAll = (connections: readonly Connection[]): void => {
  for (const connection of connections) connection.close();
};
