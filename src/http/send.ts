import type { Response } from 'express';

/** Responses contain patient data, so no cache may store them and no referrer may name them. */
const defaultHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** Sends a JSON body with its length and the headers that every response has. */
export function send(
  res: Response,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { ...defaultHeaders, 'Content-Length': Buffer.byteLength(text), ...headers }).end(text);
}
