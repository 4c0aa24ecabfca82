import { connect, type Socket } from 'node:net';

/** Reads the responses of one connection, each of which must have a Content-Length. */
export class ResponseReader {
  #head: Buffer | undefined;
  #status = 0;
  #missing = 0;

  /** The status of the response that ends with this chunk; undefined when it goes on. */
  read(chunk: Buffer): number | undefined {
    if (this.#missing > 0) {
      this.#missing -= chunk.length;
    } else {
      const bytes = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
      const end = bytes.indexOf('\r\n\r\n');
      this.#head = end < 0 ? bytes : undefined;
      if (end < 0) return undefined;
      const head = bytes.toString('latin1', 0, end);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined) throw new Error(`a response without Content-Length: ${head.slice(0, 60)}`);
      this.#status = Number(head.slice(9, 12));
      this.#missing = end + 4 + Number(length) - bytes.length;
    }
    if (this.#missing < 0) throw new Error('a response is longer than its Content-Length');
    return this.#missing === 0 ? this.#status : undefined;
  }
}

/**
 * A kept connection with one request at a time. It parses as little as it can: a client library costs more than some of
 * the servers that are measured.
 */
export class Connection {
  readonly #socket: Socket;
  #done: ((status: number) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const reader = new ResponseReader();
    socket.setNoDelay(true).on('data', (chunk) => {
      const status = reader.read(chunk);
      if (status !== undefined) this.#settle(status);
    });
    socket.on('error', () => undefined).on('close', () => this.#settle(0));
  }

  /** @throws the system's error when nobody listens there. */
  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('error', reject).once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  /** Calls back with the status, 0 when the connection was closed before. */
  send(request: string | Buffer, done: (status: number) => void): void {
    this.#done = done;
    this.#socket.write(request);
  }

  close(): void {
    this.#done = undefined;
    this.#socket.destroy();
  }

  #settle(status: number): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(status);
  }
}
