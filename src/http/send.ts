import type { Response } from 'express';

/** No answer of the API may be stored, sniffed or named in a referrer: it is about a patient. */
const always = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** Sends a JSON body at once, with its length and the headers that every answer has. */
export function send(
  res: Response,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { ...always, 'Content-Length': Buffer.byteLength(text), ...headers }).end(text);
}
