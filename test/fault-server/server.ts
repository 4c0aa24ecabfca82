import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { type Line, pass, type Toxic } from './toxics.ts';

/** A connection of a caller, and the one behind it. */
interface Link {
  readonly caller: Socket;
  /** Opened when the first byte has come. */
  server?: Socket;
  /** The bytes of each direction since the toxics were changed. */
  readonly passed: { upstream: number; downstream: number };
  /** Whether it was there before they were. */
  old: boolean;
  /** What becomes of what the server sends next. */
  fate: Fate;
}

/** What becomes of an answer: it reaches the caller, the connection is reset instead, or nothing comes. */
export type Fate = 'passed' | 'reset' | 'withheld';
type Stream = 'upstream' | 'downstream';

/** Stands in front of a server on a port of its own, and spoils what passes. Starts and stops by `start` and `stop`. */
export class FaultServer {
  /** The address of the server behind it, with this server's own origin. */
  readonly url: string;
  /** Every connection that was ever opened. */
  opened = 0;
  /** What is answered to everything instead of asking the server behind; `Connection: close` in it ends the connection. */
  answer: string | undefined;
  /** Called for each new connection; what it returns says of all that a caller sends what becomes of the answer to it. */
  watch: (() => (sent: Buffer) => Fate) | undefined;
  /** True for an answer that reaches the caller in any case: it says that nothing was done. */
  isRefusal: (answer: Buffer) => boolean = () => false;
  readonly #behind: URL;
  readonly #listener: Server;
  readonly #port: number;
  readonly #links = new Set<Link>();
  /** Those of `#links`, and those whose TLS handshake failed. */
  readonly #sockets = new Set<Socket>();
  #toxics: readonly Toxic[] = [];

  /** @param tls lets it speak TLS with callers, never with the server behind it. */
  static async start(behind: string, tls?: TlsOptions): Promise<FaultServer> {
    const options = { allowHalfOpen: true };
    const listener = tls ? createTlsServer({ ...options, ...tls }) : createServer(options);
    await listen(listener, 0);
    return new FaultServer(new URL(behind), listener, tls ? 'https' : 'http');
  }

  private constructor(behind: URL, listener: Server, protocol: string) {
    this.#behind = behind;
    this.#listener = listener;
    this.#port = (listener.address() as AddressInfo).port;
    this.url = `${protocol}://127.0.0.1:${this.#port}${behind.pathname.replace(/\/$/, '')}`;
    listener.on(protocol === 'https' ? 'secureConnection' : 'connection', (socket: Socket) => this.#serve(socket));
    listener.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** Replaces all toxics, one for each direction at most; without any everything passes. */
  set(...toxics: Toxic[]): void {
    this.#toxics = toxics;
    for (const link of this.#links) {
      link.passed.upstream = 0;
      link.passed.downstream = 0;
      link.old = true;
    }
  }

  /** The connections that are open now. */
  get open(): number {
    return this.#links.size;
  }

  /** Refuses connections, and ends those that there are. */
  async down(): Promise<void> {
    const closed = new Promise((resolve) => this.#listener.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Takes connections again, at the same port. */
  async up(): Promise<void> {
    await listen(this.#listener, this.#port);
  }

  async stop(): Promise<void> {
    if (this.#listener.listening) await this.down();
  }

  #serve(caller: Socket): void {
    this.opened++;
    const link: Link = { caller, passed: { upstream: 0, downstream: 0 }, old: false, fate: 'passed' };
    const decideFate = this.watch?.();
    if (decideFate) {
      caller.on('data', (sent: Buffer) => {
        link.fate = decideFate(sent);
      });
    }
    this.#links.add(link);
    caller.on('error', () => undefined);
    caller.on('close', () => {
      this.#links.delete(link);
      link.server?.destroy();
    });
    this.#forward(link, 'upstream', caller, () => this.#connect(link));
    // In MySQL it is the server that begins.
    if (this.#behind.protocol === 'mysql:') this.#connect(link);
  }

  #connect(link: Link): Socket {
    if (link.server) return link.server;
    const server = connect({ port: Number(this.#behind.port), host: this.#behind.hostname, allowHalfOpen: true });
    link.server = server;
    server.on('error', () => undefined);
    // What the server cuts is cut for the caller; what it ends is ended by `#forward`.
    server.on('close', (failed) => failed && link.caller.destroy());
    this.#forward(link, 'downstream', server, () => link.caller);
    return server;
  }

  #forward(link: Link, stream: Stream, from: Socket, to: () => Socket): void {
    const line: Line = {
      write: (bytes) => void (to().writable && to().write(bytes)),
      close: () => link.caller.end(() => link.caller.destroy()),
      reset: () => void link.caller.resetAndDestroy(),
      // Whoever stops this server does not wait for a toxic.
      pause: (milliseconds) => sleep(milliseconds, undefined, { ref: false }),
    };
    from.on('data', async (bytes: Buffer) => {
      if (this.answer !== undefined) return this.#answer(link.caller, this.answer);
      if (stream === 'downstream' && link.fate !== 'passed' && !this.isRefusal(bytes)) {
        return link.fate === 'reset' ? line.reset() : undefined;
      }
      from.pause();
      const before = link.passed[stream];
      link.passed[stream] += bytes.length;
      await pass(bytes, before, this.#find(link, stream), line);
      from.resume();
    });
    from.on('end', async () => {
      // A caller of HTTP that ends its half has gone.
      if (stream === 'upstream') return void link.caller.destroy();
      const toxic = this.#find(link, stream);
      if (toxic?.type === 'timeout' && toxic.timeout === 0) return;
      if (toxic?.type === 'slow_close') await line.pause(toxic.delay);
      link.caller.end();
    });
  }

  #answer(caller: Socket, text: string): void {
    caller.write(text, 'latin1');
    if (text.includes('Connection: close')) caller.end();
  }

  #find(link: Link, wanted: Stream): Toxic | undefined {
    return this.#toxics.find(({ stream = 'downstream', on }) => stream === wanted && (on === undefined || link.old));
  }
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
