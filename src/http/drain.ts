import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface DrainOptions {
  /** Milliseconds during which new connections are still taken, for load balancers to turn away. */
  readonly delay: number;
  /** Milliseconds after that for the requests in flight to end. */
  readonly timeout: number;
  /** Ends the waiting at once. */
  readonly hurry: AbortSignal;
}

interface Connection {
  /** Requests that are being answered. */
  open: number;
  /** When the last answer went out, or the connection came in. */
  since: number;
  /** Bytes that had been read by then; more of them are the beginning of a request. */
  read: number;
}

/**
 * A client may write its next request on an idle connection at the moment we close it, and would see a reset. So while
 * draining, a connection is closed by the answer that says `Connection: close`, or when it has been quiet for so long.
 */
const GRACE = 500;
const LOOK_EVERY = 50;

/** Ends a server without breaking a request. The app has to answer with `Connection: close` once it has begun. */
export class Drain {
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();
  #begun: number | undefined;

  /** @param server one that does not listen yet. */
  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#connections.set(socket, { open: 0, since: performance.now(), read: 0 });
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.prependListener('request', ({ socket }, res) => {
      const connection = this.#connections.get(socket);
      if (!connection) return;
      connection.open++;
      res.once('close', () => {
        connection.open--;
        connection.since = performance.now();
        connection.read = socket.bytesRead;
      });
    });
  }

  get begun(): boolean {
    return this.#begun !== undefined;
  }

  /** Resolves when every connection is closed, to the number of those that had to be cut. */
  async run({ delay, timeout, hurry }: DrainOptions): Promise<number> {
    const begun = performance.now();
    this.#begun = begun;
    if (delay > 0) await pause(delay, undefined, { signal: hurry }).catch(() => undefined);
    const closed = this.#stopListening();
    const looking = setInterval(() => afterReading(() => this.#closeQuiet(begun)), LOOK_EVERY);
    await Promise.race([closed, aborted(AbortSignal.any([hurry, AbortSignal.timeout(timeout)]))]);
    clearInterval(looking);
    const cut = this.#connections.size;
    this.#server.closeAllConnections();
    await closed;
    return cut;
  }

  /** `close` of an HTTP server would close idle connections at once; that of a plain server only ends the listening. */
  #stopListening(): Promise<void> {
    return new Promise((resolve) => {
      afterReading(() => NetServer.prototype.close.call(this.#server, () => resolve()));
    });
  }

  #closeQuiet(begun: number): void {
    const quietBefore = performance.now() - GRACE;
    for (const [socket, { open, since, read }] of this.#connections) {
      if (open === 0 && socket.bytesRead === read && Math.max(since, begun) <= quietBefore) socket.destroy();
    }
  }
}

/** Immediates run right after the event loop has taken in what had arrived: no request is lying unread then. */
const afterReading = (work: () => void): void => void setImmediate(work);

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
