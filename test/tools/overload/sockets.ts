import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A connection from an address of this machine; undefined when it is refused. Its errors end it and nothing else. */
export const openSocket = (port: number, localAddress = '127.0.0.1'): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.once('connect', () => resolve(socket)).on('error', () => resolve(undefined));
  });

/** Resolves when the connection is over, by whomever and however. */
export const waitForClose = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.resume().once('close', () => resolve()));

/** The head of a request. */
export const formatHead = (method: string, path: string, ...headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

/** The status of what comes first, 0 when the connection closes before. */
export function waitForStatus(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    const close = () => resolve(0);
    socket.once('close', close);
    socket.once('data', (bytes: Buffer) => {
      socket.off('close', close);
      resolve(Number(bytes.toString('latin1', 9, 12)));
    });
  });
}

/** Counts outcomes, and tells them in words. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string | number): void {
    const name = what === 0 ? 'closed' : String(what);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  toString(): string {
    return [...this.#counts].map(([what, count]) => `${count} x ${what}`).join(', ') || 'nothing';
  }
}

/** Does it again and again, so many at a time, until the time is over; waits for none that goes on longer. */
export async function repeatAtOnce(count: number, seconds: number, act: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + 1_000 * seconds;
  const loops = Array.from({ length: count }, async () => {
    while (performance.now() < until) await act();
  });
  await Promise.race([Promise.all(loops), sleep(1_000 * seconds)]);
}
