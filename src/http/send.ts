import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { isLongJson, writeJson } from '../ports/json-pieces.ts';

/** Responses contain patient data, so no cache may store them and no referrer may name them. */
const defaultHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** From so many characters on a body is written and sent in pieces; to write fewer at once takes some 2 ms. */
const MAX_WHOLE = 512 * 1024;

/** A response that is ready to be sent, but for the headers that every response has. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text, or its pieces where it is long. */
  readonly body: string | Iterable<string>;
}

/** A reply with a JSON body. */
export const toReply = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers,
  body: isLongJson(body, MAX_WHOLE) ? writeJson(body) : JSON.stringify(body),
});

export const addHeaders = <R extends Reply>(reply: R, headers: Reply['headers']): R => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
});

/** The reply with its whole text, which can be kept. */
export const toWhole = ({ body, ...reply }: Reply): Reply & { readonly body: string } => ({
  ...reply,
  body: typeof body === 'string' ? body : [...body].join(''),
});

/**
 * Sends a reply with the id of its request and the headers that every response has. A long one goes piece by piece, each when
 * the caller has taken the one before, and without its length, which nobody knows until it is written.
 */
export function sendReply(res: ServerResponse, requestId: string, { status, headers, body }: Reply): void {
  // All at once: each header that is set apart from the others costs as much as all of them.
  const all = { ...defaultHeaders, 'X-Request-Id': requestId, ...headers };
  if (typeof body === 'string') {
    res.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...all }).end(body);
    return;
  }
  res.writeHead(status, all);
  sendPieces(res, body).catch(() => res.destroy());
}

/** Ends early when the caller has disconnected, and for a `HEAD`, which gets no body. */
async function sendPieces(res: ServerResponse, pieces: Iterable<string>): Promise<void> {
  for (const piece of res.req.method === 'HEAD' ? [] : pieces) {
    if (res.destroyed) return;
    if (!res.write(piece)) await waitUntilTaken(res);
    // What the system takes at once is taken within the same turn.
    await setImmediate();
  }
  res.end();
}

const waitUntilTaken = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      res.off('drain', go).off('close', go);
      resolve();
    };
    res.once('drain', go).once('close', go);
  });

/** Does it when the response is over, and at once when the caller has disconnected already. */
export function afterResponse(res: ServerResponse, work: () => void): void {
  if (res.closed) work();
  else res.on('close', work);
}
