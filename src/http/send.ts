import type { ServerResponse } from 'node:http';

/** Headers of every response: of operations, problems, pages, and of what is refused before it reaches Express. */
export const commonHeaders = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };

/** Responses of the API contain patient data, so no cache may store them. */
export const apiHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  ...commonHeaders,
};

/** A response that is ready to be sent, but for the headers that every response of the API has. */
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

/** Sends a reply with the id of its request and the headers that every response of the API has. */
export function sendReply(res: ServerResponse, requestId: string, { status, headers, body }: Reply): void {
  const length = Buffer.byteLength(body);
  const all = { 'Content-Length': length, ...apiHeaders, 'X-Request-Id': requestId, ...headers };
  // All at once: each header that is set apart from the others costs as much as all of them.
  res.writeHead(status, all).end(body);
}

/** Does it when the response is over, and at once when the caller has disconnected already. */
export function afterResponse(res: ServerResponse, work: () => void): void {
  if (res.closed) work();
  else res.on('close', work);
}
