import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CallerAddresses, toCountedAddress, toPlainAddress } from './caller-address.ts';
import { RequestGate } from './request-gate.ts';
import { Trickle } from './trickle.ts';
import { Turns } from './turns.ts';

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
  readonly gate: RequestGate;
  /** Since when bytes of the response wait for the caller, or since when the caller should have closed the connection. */
  waitingSince: number | undefined;
}

const CHECK_INTERVAL = 1_000;

/** Bounds the connections of a server, what each of them may ask at once, and how long each may take for a response. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #addresses: CallerAddresses;
  /** Those that were used last come last. */
  readonly #open = new Map<Socket, Connection>();
  readonly #turns = new Turns();
  readonly #drops = new Trickle();
  readonly #counts = new Map<string, number>();

  /** @param server must not listen yet. */
  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    this.#addresses = new CallerAddresses(limits.trustedProxies);
    server.on('connection', (socket) => this.#accept(socket));
    server.prependListener('request', (req, res) => this.#begin(req.socket, res));
    const timer = setInterval(() => this.#cutUnread(), Math.min(CHECK_INTERVAL, limits.sendTimeout / 2)).unref();
    server.once('close', () => clearInterval(timer));
  }

  #accept(socket: Socket): void {
    this.#turns.hurry();
    const remote = toPlainAddress(socket.remoteAddress ?? '');
    const address = toCountedAddress(remote);
    const count = this.#counts.get(address) ?? 0;
    const tooMany = count >= this.#limits.maxConnectionsPerAddress && !this.#addresses.isProxy(remote);
    if (tooMany || (this.#open.size >= this.#limits.maxConnections && !this.#closeIdle())) {
      socket.destroy();
      return;
    }
    this.#counts.set(address, count + 1);
    this.#open.set(socket, {
      address,
      gate: new RequestGate(socket, address, this.#turns, this.#drops),
      waitingSince: undefined,
    });
    socket.once('close', () => this.#forget(socket));
  }

  #begin(socket: Socket, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.waitingSince = undefined;
    connection.gate.begin(response.req, response);
    response.on('close', () => {
      if (!this.#open.delete(socket)) return;
      this.#open.set(socket, connection);
    });
  }

  /** Makes room by closing the connection that is idle longest; false if none is. */
  #closeIdle(): boolean {
    for (const [socket, { gate }] of this.#open) {
      if (!gate.idle) continue;
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

  #cutUnread(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const waiting = socket.writableLength > 0 || socket.writableEnded;
      connection.waitingSince = waiting ? (connection.waitingSince ?? now) : undefined;
      if (now - (connection.waitingSince ?? now) >= this.#limits.sendTimeout) socket.resetAndDestroy();
    }
  }
}
