import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Rejection } from '../api/index.ts';
import { measureJson } from '../toolkit/measure-json.ts';
import { ACCEPTED_ENCODINGS, unpack } from '../toolkit/unpack.ts';
import type { Middleware, Step } from './request.ts';
import { afterResponse } from './send.ts';

const DEFAULT_LIMIT = 64 * 1024;
/** Beyond it a body would be expensive to parse and to check. */
const most = { depth: 20, values: 2_000 };

/**
 * Reads the JSON body of a request, if it has one, up to this number of bytes.
 * @param packedBodies the names of the clients whose bodies may be packed (`Content-Encoding`).
 */
export const readBody =
  (bodies: BodyBudget, packedBodies: readonly string[]): Step =>
  ({ body, bodyLimit = DEFAULT_LIMIT }) =>
    body ? [lookForBody, ...[requireJson, requirePlain(packedBodies), readJson(bodies, bodyLimit)].map(ifBody)] : [];

const ifBody =
  (middleware: Middleware): Middleware =>
  (req, res, next) =>
    res.locals.hasBody ? middleware(req, res, next) : next();

/** An empty body counts as absent, by its head or its first chunk. A caller that asks before it sends one has a body. */
const lookForBody: Middleware = async (req, { locals }, next) => {
  const { 'transfer-encoding': encoding, 'content-length': length = 0, expect } = req.headers;
  if (encoding !== undefined && expect === undefined) {
    const isThere = () => req.complete || req.readableLength > 0;
    if (!isThere() && !broken.has(req)) await waitForBytes(req);
    if (!isThere()) throw incomplete;
    locals.hasBody = req.readableLength > 0;
  } else locals.hasBody = encoding !== undefined || Number(length) > 0;
  next();
};

/** Requests whose rest cannot be read. */
const broken = new WeakSet<IncomingMessage>();

/** Fails all current and later readers of a body whose rest cannot be read. */
export function breakBody(req: IncomingMessage): void {
  broken.add(req);
  req.emit(BROKEN);
}

const BROKEN = Symbol('broken');

/** Resolves when bytes of the body are there, or none comes any more. */
function waitForBytes(req: IncomingMessage): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Rejection('request_timeout')), slowest.window);
  const events = ['readable', 'end', 'close', BROKEN];
  for (const event of events) req.once(event, resolve);
  return promise.finally(() => {
    clearTimeout(timer);
    for (const event of events) req.off(event, resolve);
  });
}

const requireJson: Middleware = (req, _res, next) => {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(req.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!req.is('application/json') || charset.toLowerCase() !== 'utf-8') throw new Rejection('unsupported_media_type');
  next();
};

/** A few bytes that are unpacked may fill every limit: only clients that need it may send such. */
const requirePlain =
  (packedBodies: readonly string[]): Middleware =>
  (req, res, next) => {
    if (isPacked(req)) {
      if (!packedBodies.includes(res.locals.client!.name)) throw packed;
      if (!encodings.includes(req.headers['content-encoding']!.toLowerCase())) throw unknownEncoding;
    }
    next();
  };

const isPacked = ({ headers }: IncomingMessage): boolean =>
  (headers['content-encoding'] || 'identity').toLowerCase() !== 'identity';

const encodings = ACCEPTED_ENCODINGS.split(', ');

const packed = new Rejection('unsupported_media_type', {
  happened: 'The body is packed (Content-Encoding), and this client may not send such bodies.',
  advice: 'Nothing was changed. Send it without Content-Encoding.',
  headers: { 'Accept-Encoding': 'identity' },
});

const unknownEncoding = new Rejection('unsupported_media_type', {
  happened: 'The Content-Encoding of the body is not supported.',
  headers: { 'Accept-Encoding': ACCEPTED_ENCODINGS },
});

/**
 * Reads and parses the body, within the budget of bodies in flight. As for the key of a write, what outlives its deadline counts a
 * while longer.
 */
const readJson =
  (bodies: BodyBudget, limit: number): Middleware =>
  async (req, res, next) => {
    const { locals } = res;
    const { 'content-length': length = 0, 'content-encoding': encoding, expect = '' } = req.headers;
    if (Number(length) > limit) throw tooLarge;
    // A packed body may unpack to the whole limit.
    const held = bodies.begin(locals.counted!.key, isPacked(req) ? limit : Number(length));
    if (!held) throw new Rejection('overloaded');
    void locals.finished.promise.then(() => locals.callEnded).then(() => afterResponse(res, held.release));
    try {
      if (isPacked(req) && !held.add(limit)) throw new Rejection('overloaded');
      // A caller may wait for that (RFC 9110, section 10.1.1).
      if (/100-continue/i.test(expect)) res.writeContinue();
      let left = limit;
      const bytes = await collectBody(req, (count) => {
        left -= count;
        if (left < 0) throw tooLarge;
        if (!held.add(count)) throw new Rejection('overloaded');
      });
      req.body = parseJson(isPacked(req) ? await unpack(bytes, encoding, limit).catch(rejectPacked) : bytes);
    } catch (error) {
      held.release();
      throw error;
    }
    next();
  };

const tooLarge = new Rejection('payload_too_large');

function rejectPacked({ code }: NodeJS.ErrnoException): never {
  throw code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : malformed('does not match its Content-Encoding');
}

/** @throws Rejection for what must not be parsed, or cannot. */
function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('is not valid UTF-8');
  const { depth, values } = measureJson(bytes, most);
  if (depth > most.depth) throw malformed(`is nested deeper than ${most.depth} levels`);
  if (values > most.values) throw malformed(`has more than ${most.values.toLocaleString('en')} values`);
  try {
    // It leaves out a byte order mark, which JSON.parse would take for a value.
    return JSON.parse(decoder.decode(bytes));
  } catch {
    throw malformed('is not valid JSON');
  }
}

const decoder = new TextDecoder();

const malformed = (what: string) => new Rejection('malformed_request', { happened: `The body ${what}.` });

const incomplete = malformed('did not come whole');

/** Bytes beyond which a body is a large one. */
const LARGE = 64 * 1024;

/** A body that comes, or is worked on. */
export interface HeldBody {
  /** Counts bytes that came; false when there is no room for them. */
  add(bytes: number): boolean;
  /** Counts none of them any more. */
  release(): void;
}

/** Bounds the bytes of the bodies that came and are worked on, over all connections, however many more are announced. */
export class BodyBudget {
  readonly #max: number;
  #held = 0;
  /** Bytes of large ones, announced or come. */
  readonly #largeByClient = new Map<string, number>();

  /** @param max bytes. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Begins a body; undefined if its announced size exceeds the budget. Bodies over 64 KiB may use three quarters of the budget,
   * so that files do not displace other requests. The bodies of one client may use half of it, or be one body. `limits.clients` limits
   * smaller bodies.
   */
  begin(client: string, announced = 0): HeldBody | undefined {
    let held = 0;
    let large = 0;
    const findOthers = (): number => (this.#largeByClient.get(client) ?? 0) - large;
    const hasRoom = (size: number): boolean => {
      const [mine, others] = [toLarge(size), findOthers()];
      const isBeyondShare = mine > 0 && others > 0 && others + mine > this.#max / 2;
      return !isBeyondShare && this.#held - held + size <= (mine > 0 ? (this.#max * 3) / 4 : this.#max);
    };
    const change = (size: number, claim: number): void => {
      const all = findOthers() + claim;
      if (all === 0) this.#largeByClient.delete(client);
      else this.#largeByClient.set(client, all);
      this.#held += size - held;
      [held, large] = [size, claim];
    };
    if (!hasRoom(announced)) return undefined;
    change(0, toLarge(announced));
    return {
      add: (bytes) => {
        const size = held + bytes;
        if (!hasRoom(size)) return false;
        change(size, Math.max(large, toLarge(size)));
        return true;
      },
      release: () => change(0, 0),
    };
  }
}

/** The bytes of a body as far as it is a large one. */
const toLarge = (bytes: number): number => (bytes > LARGE ? bytes : 0);

/** The minimum rate of a body: bytes that must arrive in each interval, without a limit for the whole. */
export interface Pace {
  readonly window: number;
  readonly bytes: number;
}

/** 4 KiB a second: slower than any line on which a file would be sent. A telephone may be without a net for some seconds. */
const slowest: Pace = { window: 10_000, bytes: 40_960 };

/**
 * Reads all bytes of a body. Of one that fails, what comes after is dropped.
 * @param take gets the number of new bytes, and throws if there are too many.
 * @throws Rejection `request_timeout` for one that is too slow, `malformed_request` for one that does not come whole, or what `take` throws.
 */
export function collectBody(req: IncomingMessage, take: (bytes: number) => void, pace = slowest): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const add = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    try {
      take(chunk.length);
    } catch (error) {
      reject(error);
    }
  };
  const fail = () => reject(incomplete);
  const end = () => resolve(Buffer.concat(chunks, size));
  let before = 0;
  const timer = setInterval(() => {
    if (size - before < pace.bytes) reject(new Rejection('request_timeout'));
    before = size;
  }, pace.window);
  req.on('data', add).once('end', end).once('close', fail).once('error', fail).once(BROKEN, fail);
  // The bytes before may already exceed the limit.
  if (broken.has(req)) setImmediate(fail);
  return promise.finally(() => {
    clearInterval(timer);
    req
      .off('data', add)
      .off('end', end)
      .off('close', fail)
      .off('error', fail)
      .off(BROKEN, fail)
      .on('error', () => undefined)
      .resume();
  });
}
