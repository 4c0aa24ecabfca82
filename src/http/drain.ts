import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

export interface DrainOptions {
  /** Milliseconds during which new connections are still accepted, until load balancers have noticed. */
  readonly delay: number;
  /** Milliseconds after the delay in which requests in flight and running writes may complete. */
  readonly timeout: number;
  /**
   * A client that sends its next request while an idle connection closes would see a reset. So a connection is closed
   * after a response with `Connection: close`, or after this number of idle milliseconds.
   */
  readonly idleTimeout: number;
  /** Its abort ends the wait at once. */
  readonly signal: AbortSignal;
}

interface Connection {
  /** The incomplete responses. */
  readonly pending: Set<ServerResponse>;
  /** The time when the last response was complete, or the connection was opened. */
  idleSince: number;
  /** The bytes read by then. More bytes are the start of a request. */
  bytesRead: number;
}

/**
 * The maximum number of connections that are accepted when listening ends: more than systems queue (4096 is common), so
 * that new callers cannot delay the end. A time limit would not work on a busy machine.
 */
const MOST_QUEUED = 10_000;
const CHECK_INTERVAL = 50;

/**
 * Stops a server without breaking a request, and waits for running writes whose callers have left. Once the drain has started,
 * every response has `Connection: close`.
 */
export class Drain {
  /** The writes that the drain waits for. */
  readonly writes = new RunningWrites();
  readonly #connections = new Map<Socket, Connection>();
  #accepted = 0;
  #startedAt: number | undefined;

  get started(): boolean {
    return this.#startedAt !== undefined;
  }

  /** Follows the connections of the server, which must not listen yet. */
  watch(server: Server): void {
    server.on('connection', (socket) => {
      this.#accepted++;
      this.#connections.set(socket, { pending: new Set(), idleSince: performance.now(), bytesRead: 0 });
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.prependListener('request', ({ socket }, res) => {
      const connection = this.#connections.get(socket);
      if (!connection || socket.destroyed) return;
      connection.pending.add(res);
      if (this.started) announceClose(res);
      res.on('close', () => {
        connection.pending.delete(res);
        connection.idleSince = performance.now();
        connection.bytesRead = socket.bytesRead;
      });
    });
  }

  /**
   * Stops listening. Resolves when all connections are closed and no write runs, or when the time has passed. The
   * result is the number of connections closed by force, and of running writes.
   */
  async run(server: Server, { delay, timeout, idleTimeout, signal }: DrainOptions): Promise<number> {
    if (delay > 0) {
      this.#start();
      await sleep(delay, undefined, { signal }).catch(() => undefined);
    }
    await this.#acceptQueued(signal);
    const closed = stopListening(server);
    const startedAt = this.#start();
    const closeIdle = () => this.#closeIdle(startedAt, idleTimeout);
    const timer = setInterval(() => void waitForEventLoop().then(closeIdle), CHECK_INTERVAL);
    // Without connections no further write begins, but writes whose callers have left continue.
    const completed = closed.then(() => this.writes.waitForEnd()).then(() => true);
    const timeUp = waitForAbort(AbortSignal.any([signal, AbortSignal.timeout(timeout)]));
    const isComplete = await Promise.race([completed, timeUp]);
    clearInterval(timer);
    // A socket whose caller has just left may not have reported its end yet.
    if (isComplete) return 0;
    const forced = [...this.#connections.keys()].map(waitForClose);
    server.closeAllConnections();
    await Promise.all([closed, ...forced]);
    return forced.length + this.writes.size;
  }

  /** Without a delay, call it after listening has ended: clients reconnect at once, and would wait in the queue. */
  #start(): number {
    this.#startedAt ??= performance.now();
    for (const { pending } of this.#connections.values()) pending.forEach(announceClose);
    return this.#startedAt;
  }

  /** Accepts the queued connections, one per turn of the event loop: the system resets those still queued when listening ends. */
  async #acceptQueued(signal: AbortSignal): Promise<void> {
    const most = this.#accepted + MOST_QUEUED;
    let before: number;
    await waitForEventLoop(); // The current turn may have checked the queue already.
    do {
      before = this.#accepted;
      await waitForEventLoop();
    } while (this.#accepted > before && this.#accepted < most && !signal.aborted);
  }

  #closeIdle(startedAt: number, idleTimeout: number): void {
    const limit = performance.now() - idleTimeout;
    for (const [socket, { pending, idleSince, bytesRead }] of this.#connections) {
      const isIdle = pending.size === 0 && socket.bytesRead === bytesRead;
      if (!isIdle || Math.max(idleSince, startedAt) > limit) continue;
      socket.destroy();
      // The server closes before the socket reports its end.
      this.#connections.delete(socket);
    }
  }
}

/** `close` of an HTTP server would also close idle connections; `close` of a plain server only ends listening. */
const stopListening = (server: Server): Promise<void> =>
  new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));

function announceClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

const waitForClose = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

/** Resolves after the event loop has polled every connection, so that everything that had arrived is read. */
const waitForEventLoop = (): Promise<void> => setImmediate();

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** The running writes, with or without a waiting caller. */
export class RunningWrites {
  readonly #works = new Set<Promise<unknown>>();

  /** The number of running tasks. A write may have several. */
  get size(): number {
    return this.#works.size;
  }

  /** Counts the work until it ends, and returns it. */
  add<T>(work: Promise<T>): Promise<T> {
    this.#works.add(work);
    const remove = () => this.#works.delete(work);
    work.then(remove, remove);
    return work;
  }

  /** Resolves when no work is left, including work that is added meanwhile. */
  async waitForEnd(): Promise<void> {
    while (this.#works.size > 0) await Promise.allSettled(this.#works);
  }
}
