import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CallerAddresses, toCountedAddress, toPlainAddress } from './caller-address.ts';

export interface ConnectionLimits {
  /** Open connections in all, and of one address that is no trusted proxy. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Addresses and subnets of proxies, whose connections are those of many callers. */
  readonly trustedProxies: readonly string[];
  /** Milliseconds in which the caller has to take a whole response. */
  readonly sendTimeout: number;
}

interface Connection {
  readonly address: string;
  /** Requests whose responses are not over. */
  outstanding: number;
  /** Bytes that were read when the last response was over, of which there was one; more are the start of a request. */
  bytesRead: number | undefined;
  /** Since when bytes of the response wait for the caller, or since when the caller should have closed the connection. */
  waitingSince: number | undefined;
}

const CHECK_INTERVAL_MS = 1_000;
/** Requests of one connection that may wait for their responses (pipelining, RFC 9112, section 9.3.2). */
const MAX_OUTSTANDING = 4;
/** After a response, in which the rest of its request is read and dropped: many callers read no sooner. */
const MAX_UNREAD_MS = 1_000;

/** Bounds the connections of a server, what each of them may ask at once, and how long each may take for a response. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #addresses: CallerAddresses;
  /** Those that were used last come last. */
  readonly #open = new Map<Socket, Connection>();
  readonly #counts = new Map<string, number>();

  /** @param server must not listen yet. */
  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    this.#addresses = new CallerAddresses(limits.trustedProxies);
    server.on('connection', (socket) => this.#accept(socket));
    const timer = setInterval(() => this.#cutUntaken(), Math.min(CHECK_INTERVAL_MS, limits.sendTimeout / 2)).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Counts a request until its response is over; false when its connection is closed, since it asks for too much at once. */
  begin(req: IncomingMessage, res: ServerResponse): boolean {
    const { socket } = req;
    // Node makes requests of all that it has read, also when the connection is closed by now.
    if (socket.destroyed) return false;
    const connection = this.#open.get(socket);
    if (!connection) return true;
    connection.waitingSince = undefined;
    connection.outstanding += 1;
    if (connection.outstanding > MAX_OUTSTANDING) {
      socket.resetAndDestroy();
      return false;
    }
    res.on('close', () => {
      connection.outstanding -= 1;
      connection.bytesRead = socket.bytesRead;
      if (!req.complete && !socket.destroyed) setTimeout(() => req.complete || socket.destroy(), MAX_UNREAD_MS).unref();
      if (!this.#open.delete(socket)) return;
      this.#open.set(socket, connection);
    });
    return true;
  }

  #accept(socket: Socket): void {
    const remote = toPlainAddress(socket.remoteAddress ?? '');
    const address = toCountedAddress(remote);
    const count = this.#counts.get(address) ?? 0;
    const tooMany = count >= this.#limits.maxConnectionsPerAddress && !this.#addresses.isProxy(remote);
    if (tooMany || (this.#open.size >= this.#limits.maxConnections && !this.#closeIdle())) {
      socket.destroy();
      return;
    }
    this.#counts.set(address, count + 1);
    this.#open.set(socket, { address, outstanding: 0, bytesRead: undefined, waitingSince: undefined });
    socket.once('close', () => this.#forget(socket));
  }

  /** Makes room by closing the connection that is idle longest; false if none is. */
  #closeIdle(): boolean {
    for (const [socket, { outstanding, bytesRead }] of this.#open) {
      if (outstanding > 0 || socket.bytesRead !== bytesRead) continue;
      this.#forget(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    this.#open.delete(socket);
    const count = this.#counts.get(connection.address)! - 1;
    if (count === 0) this.#counts.delete(connection.address);
    else this.#counts.set(connection.address, count);
  }

  #cutUntaken(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const waiting = socket.writableLength > 0 || socket.writableEnded;
      connection.waitingSince = waiting ? (connection.waitingSince ?? now) : undefined;
      if (now - (connection.waitingSince ?? now) >= this.#limits.sendTimeout) socket.resetAndDestroy();
    }
  }
}
