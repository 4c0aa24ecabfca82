import type { ServerResponse } from 'node:http';

/** Responses contain patient data, so no cache may store them and no referrer may name them. */
const defaultHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** A response that is ready to be sent, but for the headers that every response has. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A reply with a JSON body. */
export const toReply = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers,
  body: JSON.stringify(body),
});

export const addHeaders = (reply: Reply, headers: Reply['headers']): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
});

/** Sends a reply with its length and the headers that every response has. */
export function sendReply(res: ServerResponse, { status, headers, body }: Reply): void {
  res.writeHead(status, { ...defaultHeaders, 'Content-Length': Buffer.byteLength(body), ...headers }).end(body);
}

/** Does it when the response is over, and at once when the caller has disconnected already. */
export function afterResponse(res: ServerResponse, work: () => void): void {
  if (res.closed) work();
  else res.once('close', work);
}

/** Sends a JSON body. */
export const send = (...[res, ...reply]: [ServerResponse, ...Parameters<typeof toReply>]): void =>
  sendReply(res, toReply(...reply));
