import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Rejection } from '../api/index.ts';
import { measureJson } from '../toolkit/measure-json.ts';
import { ACCEPTED_ENCODINGS, unpack } from '../toolkit/unpack.ts';
import type { Middleware, Step } from './request.ts';
import { afterResponse } from './send.ts';

const DEFAULT_LIMIT = 64 * 1024;
/** Limits, because a larger body would be expensive to parse and to check. */
const most = { depth: 20, values: 2_000 };

/**
 * Reads the JSON body of a request, if it has one, up to this number of bytes.
 * @param packedBodies the names of the clients that may compress bodies (`Content-Encoding`).
 */
export const readBody =
  (bodies: BodyBudget, packedBodies: readonly string[]): Step =>
  ({ body, bodyLimit = DEFAULT_LIMIT }) =>
    body ? [lookForBody, ...[requireJson, requirePlain(packedBodies), readJson(bodies, bodyLimit)].map(ifBody)] : [];

const ifBody =
  (middleware: Middleware): Middleware =>
  (req, res, next) =>
    res.locals.hasBody ? middleware(req, res, next) : next();

/**
 * Determines from the head or the first chunk whether the body is empty. An empty body counts as absent. A caller with
 * `Expect: 100-continue` has a body.
 */
const lookForBody: Middleware = async (req, { locals }, next) => {
  const { 'transfer-encoding': encoding, 'content-length': length = 0, expect } = req.headers;
  if (encoding !== undefined && expect === undefined) {
    const isThere = () => req.complete || req.readableLength > 0;
    if (!isThere() && !hasEnded(req)) await waitForBytes(req);
    if (!isThere()) throw incomplete;
    locals.hasBody = req.readableLength > 0;
  } else locals.hasBody = encoding !== undefined || Number(length) > 0;
  next();
};

/** Requests whose remaining body cannot be read. */
const broken = new WeakSet<IncomingMessage>();

/** True if no more bytes can come. The caller may have disconnected before, e.g. while its token was checked. */
const hasEnded = (req: IncomingMessage): boolean => broken.has(req) || req.destroyed;

/** Fails all current and later readers of a body that cannot be read to its end. */
export function breakBody(req: IncomingMessage): void {
  broken.add(req);
  req.emit(BROKEN);
}

const BROKEN = Symbol('broken');

/** Resolves when the body has bytes, or has ended. */
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

/** A few compressed bytes may fill every limit when decompressed, so only clients that need compression may use it. */
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
  happened: 'The body is compressed (Content-Encoding), which this client is not allowed to do.',
  advice: 'Nothing was changed. Send it without Content-Encoding.',
  headers: { 'Accept-Encoding': 'identity' },
});

const unknownEncoding = new Rejection('unsupported_media_type', {
  happened: 'The Content-Encoding of the body is not supported.',
  headers: { 'Accept-Encoding': ACCEPTED_ENCODINGS },
});

/**
 * Reads and parses the body, within the budget of bodies in flight. A body that outlives its deadline counts for some
 * time longer.
 */
const readJson =
  (bodies: BodyBudget, limit: number): Middleware =>
  async (req, res, next) => {
    const { locals } = res;
    const { 'content-length': length = 0, 'content-encoding': encoding, expect = '' } = req.headers;
    if (Number(length) > limit) throw tooLarge;
    // A compressed body may decompress to the whole limit.
    const held = bodies.begin(locals.counted!.key, isPacked(req) ? limit : Number(length));
    if (!held) throw new Rejection('overloaded');
    void locals.finished.promise.then(() => locals.callEnded).then(() => afterResponse(res, held.release));
    try {
      if (isPacked(req) && !held.add(limit)) throw new Rejection('overloaded');
      // A caller may wait for 100 Continue (RFC 9110, section 10.1.1).
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

/** @throws Rejection if the text must not or cannot be parsed. */
function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('is not valid UTF-8');
  const { depth, values } = measureJson(bytes, most);
  if (depth > most.depth) throw malformed(`is nested deeper than ${most.depth} levels`);
  if (values > most.values) throw malformed(`has more than ${most.values.toLocaleString('en')} values`);
  try {
    // The decoder removes a byte order mark, which JSON.parse would reject.
    return JSON.parse(decoder.decode(bytes));
  } catch {
    throw malformed('is not valid JSON');
  }
}

const decoder = new TextDecoder();

const malformed = (what: string) => new Rejection('malformed_request', { happened: `The body ${what}.` });

const incomplete = malformed('is incomplete');

/** The size in bytes from which a body counts as large. */
const LARGE = 64 * 1024;

/** A body that is being received or processed. */
export interface HeldBody {
  /** Counts received bytes. False if they exceed the budget. */
  add(bytes: number): boolean;
  /** Releases all its bytes. */
  release(): void;
}

/** Limits the bytes of all bodies that are being received or processed, over all connections. */
export class BodyBudget {
  readonly #max: number;
  #held = 0;
  /** Bytes of large bodies, announced or received. */
  readonly #largeByClient = new Map<string, number>();

  /** @param max the limit in bytes. */
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
    const fits = (size: number): boolean => {
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
    if (!fits(announced)) return undefined;
    change(0, toLarge(announced));
    return {
      add: (bytes) => {
        const size = held + bytes;
        if (!fits(size)) return false;
        change(size, Math.max(large, toLarge(size)));
        return true;
      },
      release: () => change(0, 0),
    };
  }
}

/** The bytes of a body that count as large. */
const toLarge = (bytes: number): number => (bytes > LARGE ? bytes : 0);

/** The minimum rate of a body: bytes that must arrive in each interval. The whole body has no time limit. */
export interface Pace {
  readonly window: number;
  readonly bytes: number;
}

/** 4 KiB a second, slower than any connection for files. A telephone may lose its network for some seconds. */
const slowest: Pace = { window: 10_000, bytes: 40_960 };

/**
 * Reads all bytes of a body. After a failure, the remaining bytes are dropped.
 * @param take receives the number of new bytes, and throws if there are too many.
 * @throws Rejection `request_timeout` for a slow body, `malformed_request` for an incomplete one, or the error of
 * `take`.
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
  // The earlier bytes may already exceed the limit.
  if (hasEnded(req)) setImmediate(fail);
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
