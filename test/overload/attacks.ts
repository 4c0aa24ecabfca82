import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { token } from '../support/process.ts';
import { findPercentile } from './percentile.ts';

export interface Attacked {
  readonly port: number;
  /** Of the read that hangs, where one does. */
  readonly hangs?: string;
}

/** Something that a caller may do to a gateway, and what came of it in words. */
type Attack = (attacked: Attacked) => Promise<string>;

const head = (path: string, ...more: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`, ...more, '', ''].join('\r\n');

const openSocket = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('error', reject).once('connect', () => {
      socket.off('error', reject).on('error', () => undefined);
      resolve(socket);
    });
  });

/** Waits for the first bytes of a response: its status, and how many milliseconds it took. */
function waitForResponse(socket: Socket): Promise<{ status: number; ms: number }> {
  const started = performance.now();
  return new Promise((resolve) => {
    const done = (status: number) => resolve({ status, ms: performance.now() - started });
    const close = () => done(0);
    socket.once('close', close);
    socket.once('data', (bytes: Buffer) => {
      socket.off('close', close);
      done(Number(bytes.toString('latin1', 9, 12)));
    });
  });
}

const countByStatus = (statuses: readonly number[]) =>
  Object.entries(Object.groupBy(statuses, String))
    .map(([status, same = []]) => `${same.length} x ${status === '0' ? 'closed' : status}`)
    .join(', ');

/**
 * So many callers of one operation, each with a connection, who come within so many milliseconds; when they are refused they
 * come back after a second, and a part of as much more.
 */
const callWhatHangs =
  (callers: number, withinMs: number, seconds: number): Attack =>
  async ({ port, hangs = '' }) => {
    const sockets = await Promise.all(Array.from({ length: callers }, () => openSocket(port)));
    await sleep(500);
    const refused: number[] = [];
    const statuses: number[] = [];
    const until = performance.now() + 1_000 * seconds;
    const callersOver = sockets.map(async (socket) => {
      await sleep(withinMs * Math.random());
      while (performance.now() < until) {
        const answer = waitForResponse(socket);
        socket.write(head(hangs));
        const { status, ms } = await answer;
        statuses.push(status);
        if (status === 429 || status === 503) refused.push(ms);
        if (status !== 429 && status !== 503) return;
        await sleep(1_000 + withinMs * Math.random());
      }
    });
    await Promise.race([Promise.all(callersOver), sleep(1_000 * seconds)]);
    for (const socket of sockets) socket.destroy();
    const [p50, p99] = [0.5, 0.99].map((share) => Math.round(findPercentile(refused, share)));
    return `${countByStatus(statuses)}; refused within p50 ${p50} ms, p99 ${p99} ms`;
  };

/** So many connections that ask for much, one request after another without waiting, and read nothing. */
const readNothing =
  (connections: number, requests: number, seconds: number): Attack =>
  async ({ port }) => {
    let closed = 0;
    const sockets = Array.from({ length: connections }, () => {
      const socket = connect({ port, host: '127.0.0.1' }).pause();
      socket
        .on('error', () => undefined)
        .once('close', () => {
          closed += 1;
        });
      socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
      return socket;
    });
    await sleep(1_000 * seconds);
    // Who reads nothing learns of an end when it writes.
    for (const socket of sockets) socket.write('\r\n');
    await sleep(500);
    const seen = closed;
    for (const socket of sockets) socket.destroy();
    return `${seen} of ${connections} closed within ${seconds} s`;
  };

/** So many connections that send a read of the socket full of requests at once, and read every response. */
const pipeline =
  (connections: number, requests: number): Attack =>
  async ({ port }) => {
    const count = await Promise.all(
      Array.from({ length: connections }, async () => {
        const socket = await openSocket(port);
        let responses = 0;
        return new Promise<number>((resolve) => {
          socket.once('close', () => resolve(responses));
          socket.setEncoding('latin1').on('data', (text: string) => {
            responses += text.split('HTTP/1.1 200').length - 1;
            if (responses === requests) socket.destroy();
          });
          socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
          setTimeout(() => socket.destroy(), 30_000).unref();
        });
      }),
    );
    const answered = count.reduce((sum, each) => sum + each);
    return `${answered} of ${connections * requests} answered`;
  };

/** So many tickets at once, each with a file of 7 MiB. */
const fileTickets =
  (count: number): Attack =>
  async ({ port }) => {
    const file = Buffer.alloc(7 * 1024 * 1024, 'x').toString('base64');
    const body = Buffer.from(JSON.stringify({ observations: 'x', fields: [{ id: 'comprobante', value: file }] }));
    const path = '/patients/ana/ticket_type/reintegro/ticket';
    const more = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const request = head(path, ...more).replace('GET', 'POST');
    const answers = await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = await openSocket(port);
        const answer = waitForResponse(socket);
        socket.write(request);
        socket.write(body);
        const { status } = await answer;
        socket.destroy();
        return status;
      }),
    );
    return countByStatus(answers);
  };

/** Searches by one day of birth after another, with one token, as fast as they are answered. */
const searchByBirthDate =
  (count: number): Attack =>
  async ({ port }) => {
    const statuses: number[] = [];
    let next = 0;
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        const socket = await openSocket(port);
        while (next < count) {
          const day = new Date(86_400_000 * next++).toISOString().slice(0, 10).replaceAll('-', '%2F');
          const answer = waitForResponse(socket);
          socket.write(head(`/patients/search?gender=Female&birth_date=${day}`));
          statuses.push((await answer).status);
        }
        socket.destroy();
      }),
    );
    return countByStatus(statuses);
  };

export const attacks = {
  burst: callWhatHangs(500, 0, 5),
  callers: callWhatHangs(500, 1_000, 10),
  tickets: fileTickets(60),
  silent: readNothing(1_000, 50, 35),
  pipelining: pipeline(20, 1_400),
  searches: searchByBirthDate(20_000),
} as const;
