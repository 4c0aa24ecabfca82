import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

// Requests that are refused before their bodies are read, and the ways in which the rest of such a request can be broken.

/** An address whose requests without a token are 429. */
export const LIMITED = '127.0.2.1';
/** A write for which there is no place. */
export const BUSY = '/patients/ana/ticket_type/reintegro/ticket';

interface Refusal {
  readonly status: number;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly hasToken?: boolean;
  /** Bytes of the body before its end. */
  readonly size?: number;
  /** Whether nothing is answered before the body is over. */
  readonly isRead?: boolean;
  /** Where it comes from; by default from an address of its own. */
  readonly from?: string;
}

export const refusals: readonly Refusal[] = [
  // No JSON.
  { status: 400, path: '/patients/', isRead: true },
  { status: 401, path: '/patients/', hasToken: false },
  { status: 404, path: '/nowhere' },
  { status: 405, path: '/patients/search' },
  { status: 406, path: '/patients/', headers: { Accept: 'text/html' } },
  { status: 413, path: '/patients/', size: 100_000 },
  { status: 415, path: '/patients/', headers: { 'Content-Type': 'text/plain' } },
  { status: 422, path: '/patients/search?identifier_type=DNI', method: 'GET' },
  { status: 429, path: '/patients/', hasToken: false, from: LIMITED },
  { status: 503, path: BUSY },
];

interface Ending {
  readonly name: string;
  /** What follows the part of the body that is as it should be. */
  readonly rest: string;
  /** Whether the body announces its length, and has no chunks. */
  readonly isPlain?: boolean;
  /** How the caller leaves. */
  readonly leave?: 'end' | 'resetAndDestroy';
  /** Whether it follows the body, as a message of its own. */
  readonly isMessage?: boolean;
}

export const endings: readonly Ending[] = [
  { name: 'a trailer with a control character', rest: '0\r\nX: a\x01b\r\n\r\n' },
  { name: 'a trailer that says a length', rest: '0\r\nContent-Length: 5\r\n\r\n' },
  { name: 'a trailer without a colon', rest: '0\r\nbad trailer\r\n\r\n' },
  { name: 'a bad chunk size', rest: 'ZZ\r\n\r\n' },
  { name: 'a chunk longer than its size', rest: '1\r\nxyz\r\n0\r\n\r\n' },
  { name: 'a body that is cut', rest: 'x', isPlain: true, leave: 'end' },
  { name: 'chunks that are cut', rest: '5\r\nx', leave: 'end' },
  { name: 'a reset', rest: 'x', isPlain: true, leave: 'resetAndDestroy' },
  { name: 'junk after the body', rest: '0\r\n\r\nwhat is this\r\n\r\n', isMessage: true },
];

/** What came back for one request, of each response its status, and its request id if it has one. */
export interface Answers {
  readonly responses: readonly { readonly status: number; readonly requestId: string | undefined }[];
  /** Whether the connection was closed from over there. */
  readonly isClosed: boolean;
}

export interface BrokenRequest {
  readonly refusal: Refusal;
  readonly ending: Ending;
  readonly token: string;
  readonly host: string;
  readonly requestId: string;
  /** Whether the broken rest is sent when the refusal is there, or with all else. */
  readonly isLate: boolean;
  /** Milliseconds after which what has not come back will not come. */
  readonly patience: number;
}

/** Sends the request on a connection of its own, and resolves to what came back. @param tcp what is below TLS. */
export async function sendBroken(socket: Socket, request: BrokenRequest, tcp = socket): Promise<Answers> {
  const { refusal, ending, token, host, requestId, isLate, patience } = request;
  const { method = 'POST', path, headers, hasToken = true, size = 2, isRead } = refusal;
  const all = {
    Host: host,
    'Content-Type': 'application/json',
    ...(hasToken && { Authorization: `Bearer ${token}` }),
    'X-Request-Id': requestId,
    ...(ending.isPlain ? { 'Content-Length': String(size + 10_000) } : { 'Transfer-Encoding': 'chunked' }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const begin = 'x'.repeat(size);
  const body = ending.isPlain ? begin : `${size.toString(16)}\r\n${begin}\r\n`;
  let received = '';
  let isClosed = false;
  socket
    .setEncoding('latin1')
    .on('data', (text) => {
      received += text;
    })
    .on('error', () => undefined)
    .once('close', () => {
      isClosed = true;
    });
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}${isLate ? '' : ending.rest}`, 'latin1');
  if (isLate) {
    await until(() => isClosed || splitResponses(received).length > 0, isRead ? 100 : patience);
    socket.write(ending.rest, 'latin1');
  }
  if (ending.leave === 'end') socket.end();
  if (ending.leave === 'resetAndDestroy') tcp.resetAndDestroy();
  await until(() => isClosed, patience);
  socket.destroy();
  return { responses: splitResponses(received), isClosed };
}

async function until(isSo: () => boolean, patience: number): Promise<void> {
  for (const started = performance.now(); !isSo() && performance.now() - started < patience; ) await sleep(5);
}

/** The complete responses of a connection. */
function splitResponses(text: string): Answers['responses'] {
  const responses = [];
  for (let rest = text; ; ) {
    const [, head = '', status] = /^(HTTP\/1\.1 (\d+)[\s\S]*?\r\n\r\n)/.exec(rest) ?? [];
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (head === '' || rest.length < head.length + length) return responses;
    responses.push({ status: Number(status), requestId: /\r\nx-request-id: (\S+)/i.exec(head)?.[1] });
    rest = rest.slice(head.length + length);
  }
}
