import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CallerAddresses, toCountedAddress, toPlainAddress } from './addresses.ts';
import { breakBody } from './body.ts';

export interface ConnectionLimits {
  /** The maximum numbers of open connections: in total, and for one address that is not a trusted proxy. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Addresses and subnets of proxies, whose connections serve many callers. */
  readonly trustedProxies: readonly string[];
  /** Milliseconds within which the caller must read a whole response. */
  readonly sendTimeout: number;
}

/** The origin of connections: an address in its counted form. */
interface Origin {
  readonly isProxy: boolean;
  /** Number of open connections. */
  open: number;
}

interface TrackedConnection {
  readonly origin: Origin;
  /** The incomplete responses, in the order of their requests. */
  readonly responses: Set<ServerResponse>;
  /** True if it has had a request. */
  isUsed: boolean;
  /** The time since which the caller has not read the response, or should have closed the connection. */
  waitingSince: number | undefined;
}

const CHECK_INTERVAL_MS = 1_000;
/**
 * The maximum number of requests of one connection that wait for their responses (pipelining, RFC 9112, section 9.3.2).
 */
const MAX_OUTSTANDING = 4;
/** The time after the last response: many callers read only after they have sent everything. */
const MAX_UNREAD_MS = 1_000;

/** The state of a connection without an active request, in the order of closing. */
const stages = ['silent', 'idle', 'untaken'] as const;

/** A connection without an active request. */
interface Spare {
  readonly socket: Socket;
  readonly origin: Origin;
  /** Index in `stages`. */
  readonly stage: number;
}

/**
 * Limits the connections of a server, the pipelined requests of each, and the time to read a response. It never closes a connection
 * with an active request for a new one. It closes silent connections first, then idle ones, then those whose
 * caller does not read a response. Within each group the address with the most connections comes first, and trusted proxies last.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #addresses: CallerAddresses;
  readonly #open = new Map<Socket, TrackedConnection>();
  readonly #origins = new Map<string, Origin>();

  /** @param server must not listen yet. */
  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    this.#addresses = new CallerAddresses(limits.trustedProxies);
    server.on('connection', (socket) => this.#accept(socket));
    const timer = setInterval(() => this.#cutUntaken(), Math.min(CHECK_INTERVAL_MS, limits.sendTimeout / 2)).unref();
    server.once('close', () => clearInterval(timer));
  }

  /**
   * Counts a request until its response is complete. Passes it to the application when all pipelined data is read.
   * Closes a connection with too many requests.
   */
  begin(req: IncomingMessage, res: ServerResponse, app: RequestListener): void {
    const { socket } = req;
    const connection = this.#open.get(socket);
    // Node creates requests from all data that it has read, even after the connection is closed.
    if (!socket.writable || !connection) return;
    connection.waitingSince = undefined;
    connection.isUsed = true;
    connection.responses.add(res);
    if (connection.responses.size > MAX_OUTSTANDING) {
      resetWithoutStacks(socket);
      return;
    }
    res.on('close', () => {
      connection.responses.delete(res);
      if (this.#open.delete(socket)) this.#open.set(socket, connection);
    });
    const start = () => {
      if (!socket.writable) return;
      if (!req.complete) endUnlessRead(req, res);
      app(req, res);
    };
    // Node reports the bytes of a body before it has read its end.
    process.nextTick(() => (req.complete ? start() : setImmediate(start)));
  }

  /**
   * Ends an unreadable connection after its outstanding responses. False if there are none. The broken part may be the
   * body of the last request.
   */
  endBehindResponses(socket: Socket): boolean {
    const last = [...(this.#open.get(socket)?.responses ?? [])].at(-1);
    if (!last) return false;
    if (!last.headersSent) last.setHeader('Connection', 'close');
    if (!last.req.complete) breakBody(last.req);
    return true;
  }

  #accept(socket: Socket): void {
    const remote = toPlainAddress(socket.remoteAddress ?? '');
    const address = toCountedAddress(remote);
    const origin = this.#origins.get(address) ?? { isProxy: this.#addresses.isProxy(remote), open: 0 };
    if (!this.#closeFor(origin)) {
      socket.destroy();
      return;
    }
    this.#origins.set(address, origin);
    origin.open += 1;
    const connection = { origin, responses: new Set<ServerResponse>(), isUsed: false, waitingSince: undefined };
    this.#open.set(socket, connection);
    endSlowly(socket);
    socket.once('close', () => {
      this.#forget(socket);
      if (origin.open === 0) this.#origins.delete(address);
    });
  }

  /** Closes a connection if the limit leaves no place for another one. False if no connection can be closed. */
  #closeFor(newcomer: Origin): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#limits;
    const isFull = this.#open.size >= maxConnections;
    const isOwnFull = !newcomer.isProxy && newcomer.open >= maxConnectionsPerAddress;
    if (!isFull && !isOwnFull) return true;
    const spare = this.#listSpare();
    const counts = new Map<Origin, number>();
    for (const { origin } of spare) counts.set(origin, (counts.get(origin) ?? 0) + 1);
    const count = (origin: Origin) => counts.get(origin) ?? 0;
    // An address never displaces one with fewer connections.
    const least = isOwnFull ? Number.POSITIVE_INFINITY : newcomer.isProxy ? 1 : count(newcomer) + 1;
    const compare = (a: Spare, b: Spare): number =>
      Number(a.origin.isProxy) - Number(b.origin.isProxy) || a.stage - b.stage || count(b.origin) - count(a.origin);
    let victim: Spare | undefined;
    for (const each of spare) {
      const mayGiveWay = each.origin === newcomer || count(each.origin) >= least;
      if (mayGiveWay && (!victim || compare(each, victim) < 0)) victim = each;
    }
    if (!victim) return false;
    this.#forget(victim.socket);
    victim.socket.destroy();
    return true;
  }

  /** The connections without an active request, the least recently used first. */
  #listSpare(): readonly Spare[] {
    const spare: Spare[] = [];
    for (const [socket, connection] of this.#open) {
      const stage = findStage(socket, connection);
      if (stage) spare.push({ socket, origin: connection.origin, stage: stages.indexOf(stage) });
    }
    return spare;
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection) connection.origin.open -= 1;
    this.#open.delete(socket);
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

/** Undefined for a connection with a request whose response is not ready. */
function findStage(socket: Socket, { responses, isUsed }: TrackedConnection): (typeof stages)[number] | undefined {
  if (responses.size === 0) return isUsed ? 'idle' : 'silent';
  return socket.writableLength > 0 ? 'untaken' : undefined;
}

/** After a response that precedes the end of its request, the connection ends, because the rest may be broken. */
function endUnlessRead(req: IncomingMessage, res: ServerResponse): void {
  const { shouldKeepAlive } = res;
  res.shouldKeepAlive = false;
  req.once('end', () => {
    res.shouldKeepAlive = shouldKeepAlive;
  });
}

/**
 * Node calls `destroySoon` behind the last response. A caller that still sends would be reset and might not see the response, so the
 * rest is read and dropped for a while, unless the caller ends before.
 */
function endSlowly(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), MAX_UNREAD_MS).unref();
  };
}

/**
 * Node reports an error to each pending request, possibly thousands. Their stack traces would take most of the time.
 */
function resetWithoutStacks(socket: Socket): void {
  // Read when the connection closes, because another one may close at the same time and have changed it.
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
