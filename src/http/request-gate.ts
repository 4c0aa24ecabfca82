import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Trickle } from './trickle.ts';
import type { Turns } from './turns.ts';

const HEAD_END = '\r\n\r\n';
/** How many bytes of it two chunks may share. */
const OVERLAP = HEAD_END.length - 1;

/**
 * Hands the bytes of a connection to the HTTP parser one request at a time. The parser makes a request of everything that it
 * gets, and one read of the socket may hold thousands; so while a request is worked on, those after it wait as bytes, of at
 * most two reads (128 KiB). Bodies take their turns with the requests of all connections, a read of the socket at a time.
 */
export class RequestGate {
  readonly #socket: Socket;
  readonly #caller: string;
  readonly #turns: Turns;
  readonly #drops: Trickle;
  readonly #push: Socket['push'];
  /** What was received and not handed on; null is the end. */
  #waiting: (Buffer | null)[] = [];
  #request: IncomingMessage | undefined;
  /** Whether its response is not over. */
  #active = false;
  /** The bytes of the current body that the parser has yet to get, as far as Content-Length says it. */
  #bodyLeft = 0;
  /** The last bytes handed on, of a head that is not complete. */
  #tail = '';
  #served = false;
  #advancing = false;
  /** Whether it waits for a turn of the event loop. */
  #queued = false;
  #wantsMore = true;

  /**
   * @param socket belongs to the HTTP server already.
   * @param caller whose connection it is.
   * @param turns of all connections, for what is worked on.
   * @param drops of all connections, for the bodies of requests that have their response already.
   */
  constructor(socket: Socket, caller: string, turns: Turns, drops: Trickle) {
    this.#socket = socket;
    this.#caller = caller;
    this.#turns = turns;
    this.#drops = drops;
    this.#push = socket.push.bind(socket);
    socket.push = (chunk: Buffer | null) => this.#receive(chunk);
    // Until somebody listens to its data, the parser reads past the socket.
    socket.on('data', () => undefined);
    socket.on('resume', () => this.#advance());
    socket.once('close', () => {
      this.#waiting = [];
    });
  }

  /** Whether the connection has had a response, and neither a request nor a part of one is there. */
  get idle(): boolean {
    return this.#served && !this.#active && this.#waiting.length === 0 && this.#tail === '' && this.#bodyLeft === 0;
  }

  /** Tells that a request has begun. Those after it wait until its response is over. */
  begin(req: IncomingMessage, res: ServerResponse): void {
    this.#request = req;
    this.#active = true;
    this.#bodyLeft = Number(req.headers['content-length'] ?? 0);
    res.on('close', () => {
      this.#active = false;
      this.#served = true;
      // Other connections have their turn first.
      if (this.#waiting.length > 0) this.#queue((advance) => this.#turns.add(this.#caller, advance));
    });
  }

  /** Stops reading by `false` until everything has been handed on. */
  #receive(chunk: Buffer | null): boolean {
    this.#waiting.push(chunk);
    const isDropped = !this.#active && this.#request?.complete === false;
    this.#queue((advance) => (isDropped ? this.#drops.add(advance) : this.#turns.take(this.#caller, advance)));
    return this.#wantsMore && this.#waiting.length === 0;
  }

  /** Advances in a turn of the event loop: of what arrives together on hundreds of connections, a little is done in each. */
  #queue(schedule: (advance: () => void) => void): void {
    if (this.#queued) return;
    this.#queued = true;
    schedule(() => {
      this.#queued = false;
      this.#advance();
    });
  }

  #advance(): void {
    if (this.#advancing || this.#queued) return;
    this.#advancing = true;
    while (this.#mayHandOn()) {
      const { bytes, endsHead } = this.#take();
      this.#wantsMore = this.#push(bytes);
      if (endsHead && !this.#active) {
        // The server itself has responded, e.g. 400, and may be about to close the connection.
        this.#queue((advance) => this.#turns.add(this.#caller, advance));
        break;
      }
    }
    this.#advancing = false;
  }

  /** The end of the connection waits for no response: the caller has left. */
  #mayHandOn(): boolean {
    const [next] = this.#waiting;
    if (next === undefined) return false;
    return next === null || !((this.#active && this.#request?.complete) || this.#socket.isPaused());
  }

  /** The next bytes, in which at most one head ends. */
  #take(): { bytes: Buffer | null; endsHead: boolean } {
    const chunk = this.#waiting[0] ?? null;
    const { length, endsHead } = chunk ? this.#measure(chunk) : { length: 0, endsHead: false };
    if (chunk && length < chunk.length) this.#waiting[0] = chunk.subarray(length);
    else this.#waiting.shift();
    return { bytes: chunk?.subarray(0, length) ?? null, endsHead };
  }

  #measure(chunk: Buffer): { length: number; endsHead: boolean } {
    if (this.#bodyLeft > 0) {
      const length = Math.min(this.#bodyLeft, chunk.length);
      this.#bodyLeft -= length;
      return { length, endsHead: false };
    }
    const seam = `${this.#tail}${chunk.toString('latin1', 0, OVERLAP)}`.indexOf(HEAD_END);
    const end = seam < 0 ? chunk.indexOf(HEAD_END) : seam - this.#tail.length;
    if (seam >= 0 || end >= 0) {
      this.#tail = '';
      return { length: end + HEAD_END.length, endsHead: true };
    }
    this.#tail = `${this.#tail}${chunk.subarray(-OVERLAP).toString('latin1')}`.slice(-OVERLAP);
    return { length: chunk.length, endsHead: false };
  }
}
