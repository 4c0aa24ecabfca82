import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CallerAddresses, toCountedAddress, toPlainAddress } from './addresses.ts';

export interface ConnectionLimits {
  /** Open connections in all, and of one address that is no trusted proxy. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Addresses and subnets of proxies, whose connections are those of many callers. */
  readonly trustedProxies: readonly string[];
  /** Milliseconds in which the caller has to take a whole response. */
  readonly sendTimeout: number;
}

/** Where connections come from: an address, as it is counted. */
interface Origin {
  readonly isProxy: boolean;
  /** Those that were used last come last. */
  readonly open: Map<Socket, Connection>;
}

interface Connection {
  readonly origin: Origin;
  /** The last request. */
  request: IncomingMessage | undefined;
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

/** What a connection is about; the ones that others give way to come last. */
const stages = ['incomplete', 'idle', 'untaken', 'working'] as const;

/**
 * Bounds the connections of a server, what each of them may ask at once, and how long each may take for a response. Where there is no
 * room for one more, the address with the most connections gives way, trusted proxies last: of its connections those without a
 * complete request first, then idle ones, then those whose caller does not take a response. One that is at work does not give way
 * for another of its own address, nor for one of an address that has as many.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #addresses: CallerAddresses;
  readonly #open = new Map<Socket, Connection>();
  readonly #origins = new Map<string, Origin>();

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
    connection.request = req;
    connection.outstanding += 1;
    if (connection.outstanding > MAX_OUTSTANDING) {
      resetWithoutStacks(socket);
      return false;
    }
    res.on('close', () => {
      connection.outstanding -= 1;
      connection.bytesRead = socket.bytesRead;
      if (!req.complete && !socket.destroyed) setTimeout(() => req.complete || socket.destroy(), MAX_UNREAD_MS).unref();
      if (connection.origin.open.delete(socket)) connection.origin.open.set(socket, connection);
    });
    return true;
  }

  #accept(socket: Socket): void {
    const remote = toPlainAddress(socket.remoteAddress ?? '');
    const address = toCountedAddress(remote);
    const origin = this.#origins.get(address) ?? { isProxy: this.#addresses.isProxy(remote), open: new Map() };
    if (!this.#makeRoom(origin)) {
      socket.destroy();
      return;
    }
    this.#origins.set(address, origin);
    const connection = { origin, request: undefined, outstanding: 0, bytesRead: undefined, waitingSince: undefined };
    origin.open.set(socket, connection);
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#forget(socket, origin);
      if (origin.open.size === 0) this.#origins.delete(address);
    });
  }

  /** Closes a connection where there is no room for one more from there; false when none has to give way to it. */
  #makeRoom(newcomer: Origin): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#limits;
    const count = newcomer.open.size + 1;
    if (!newcomer.isProxy && count > maxConnectionsPerAddress) return this.#close([newcomer], 'untaken');
    if (this.#open.size < maxConnections) return true;
    const origins = [...this.#origins.values()];
    const callers = origins.filter(({ isProxy }) => !isProxy);
    const most = callers.reduce((max, { open }) => Math.max(max, open.size), newcomer.isProxy ? 0 : count);
    if (!newcomer.isProxy && count === most && newcomer.open.size > 0) return this.#close([newcomer], 'untaken');
    const largest = callers.filter(({ open }) => open.size === most);
    return (
      this.#close(largest, newcomer.isProxy || most > count ? 'working' : 'untaken') ||
      this.#close(
        origins.filter(({ isProxy }) => isProxy),
        'idle',
      )
    );
  }

  /** Closes the connection of these that is in the first stage, and was used the longest ago; none beyond the last stage. */
  #close(origins: readonly Origin[], last: (typeof stages)[number]): boolean {
    let victim: readonly [Socket, Connection] | undefined;
    let lowest = stages.indexOf(last) + 1;
    search: for (const { open } of origins) {
      for (const each of open) {
        const stage = stages.indexOf(findStage(...each));
        if (stage < lowest) [victim, lowest] = [each, stage];
        if (lowest === 0) break search;
      }
    }
    if (!victim) return false;
    const [socket, { origin }] = victim;
    this.#forget(socket, origin);
    socket.destroy();
    return true;
  }

  #forget(socket: Socket, origin: Origin): void {
    this.#open.delete(socket);
    origin.open.delete(socket);
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

function findStage(socket: Socket, { request, outstanding, bytesRead }: Connection): (typeof stages)[number] {
  if (outstanding === 0) return socket.bytesRead === bytesRead ? 'idle' : 'incomplete';
  if (request && !request.complete) return 'incomplete';
  return socket.writableLength > 0 ? 'untaken' : 'working';
}

/** Node tells each request of what it has read, thousands perhaps, by an error; their stacks would take longer than all else. */
function resetWithoutStacks(socket: Socket): void {
  // Read when the connection closes: at this time another one may be closing, and have taken it away.
  let stackTraceLimit = 0;
  socket.prependOnceListener('close', () => {
    ({ stackTraceLimit } = Error);
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.resetAndDestroy();
}
