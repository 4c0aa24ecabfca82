import type { ServerResponse } from 'node:http';

/** The headers of every response: of operations, problems, pages, and requests that are refused before Express. */
export const commonHeaders = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };

/** Responses of the API contain patient data, so no cache may store them. */
export const apiHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  ...commonHeaders,
};

/** A response ready to send, except for the headers of every API response. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** A reply with a JSON body. */
export const toReply = (status: number, body: unknown, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers,
  body: JSON.stringify(body),
});

export const addHeaders = (reply: Reply, headers: Reply['headers']): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
});

/** Sends a reply with its request id and the headers of every API response. */
export function sendReply(res: ServerResponse, requestId: string, { status, headers, body }: Reply): void {
  const length = Buffer.byteLength(body);
  const all = { 'Content-Length': length, ...apiHeaders, 'X-Request-Id': requestId, ...headers };
  // In one call: each separately set header costs as much as all of them.
  res.writeHead(status, all).end(body);
}

/** Calls back when the response has ended, and at once after a disconnect. */
export function afterResponse(res: ServerResponse, work: () => void): void {
  if (res.closed) work();
  else res.on('close', work);
}
