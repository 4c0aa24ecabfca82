import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';

export interface DrainOptions {
  /** Milliseconds during which new connections are still taken, for load balancers to turn away. */
  readonly delay: number;
  /** Milliseconds after that for the requests in flight to end. */
  readonly timeout: number;
  /** Ends the waiting at once. */
  readonly signal: AbortSignal;
}

interface Connection {
  /** The answers that have not ended. */
  readonly open: Set<ServerResponse>;
  /** When the last answer went out, or the connection came in. */
  since: number;
  /** Bytes that had been read by then; more of them are the beginning of a request. */
  read: number;
}

/**
 * A client may write its next request on an idle connection at the moment we close it, and would see a reset. So while
 * draining, a connection is closed by the answer that says `Connection: close`, or when it has been quiet for so long.
 */
const GRACE = 2_000;
const CHECK_INTERVAL = 50;

/** Ends a server without breaking a request. Every answer says `Connection: close` once it has begun. */
export class Drain {
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();
  #accepted = 0;
  #begun: number | undefined;

  /** @param server one that does not listen yet. */
  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#accepted++;
      this.#connections.set(socket, { open: new Set(), since: performance.now(), read: 0 });
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.prependListener('request', ({ socket }, res) => {
      const connection = this.#connections.get(socket);
      if (!connection) return;
      connection.open.add(res);
      if (this.begun) announceClose(res);
      res.once('close', () => {
        connection.open.delete(res);
        connection.since = performance.now();
        connection.read = socket.bytesRead;
      });
    });
  }

  get begun(): boolean {
    return this.#begun !== undefined;
  }

  /** Resolves when every connection is closed, to the number of those that had to be cut. */
  async run({ delay, timeout, signal }: DrainOptions): Promise<number> {
    if (delay > 0) {
      this.#begin();
      await pause(delay, undefined, { signal: signal }).catch(() => undefined);
    }
    await this.#emptyQueue(signal);
    const closed = this.#stopListening();
    const begun = this.#begin();
    const looking = setInterval(() => void waitForEventLoop().then(() => this.#closeQuiet(begun)), CHECK_INTERVAL);
    await Promise.race([closed, waitForAbort(AbortSignal.any([signal, AbortSignal.timeout(timeout)]))]);
    clearInterval(looking);
    const cut = [...this.#connections.keys()].map(waitForClose);
    this.#server.closeAllConnections();
    await Promise.all([closed, ...cut]);
    return cut.length;
  }

  /** From now on clients are sent away. Those who come back must find nobody listening, rather than be left in the queue. */
  #begin(): number {
    this.#begun ??= performance.now();
    for (const { open } of this.#connections.values()) open.forEach(announceClose);
    return this.#begun;
  }

  /** Lets in who has connected already: the system resets whoever waits when the listening ends. One comes in per turn. */
  async #emptyQueue(signal: AbortSignal): Promise<void> {
    const enough = performance.now() + GRACE;
    let before: number;
    await waitForEventLoop(); // The turn that we are called in may have looked at the queue already.
    do {
      before = this.#accepted;
      await waitForEventLoop();
    } while (this.#accepted > before && performance.now() < enough && !signal.aborted);
  }

  /** `close` of an HTTP server would close idle connections at once; that of a plain server only ends the listening. */
  #stopListening(): Promise<void> {
    return new Promise((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
  }

  #closeQuiet(begun: number): void {
    const quietBefore = performance.now() - GRACE;
    for (const [socket, { open, since, read }] of this.#connections) {
      if (open.size === 0 && socket.bytesRead === read && Math.max(since, begun) <= quietBefore) socket.destroy();
    }
  }
}

function announceClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

const waitForClose = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

/** Resolves right after the event loop has looked at every connection: nothing that had arrived lies unread. */
const waitForEventLoop = (): Promise<void> => setImmediate();

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
