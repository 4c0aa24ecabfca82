import { connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createByteClient } from '../../src/http-client/axios.ts';
import { getCauseCode, toNetworkFailure } from '../../src/http-client/failures.ts';
import { makeCertificate } from '../fault-server/certificate.ts';
import { listen } from '../support/listen.ts';

// What the transport behind axios makes of the bytes of a server, and of their end.

/** What becomes of each request: it is written, and then the connection may end. */
let serve: (socket: Socket, request: string, count: number) => void = () => undefined;
let requests = 0;

const server = createServer((socket) => {
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    if (!text.includes('\r\n\r\n')) return;
    requests += 1;
    serve(socket, text, requests);
    text = '';
  });
});
const base = `http://127.0.0.1:${await listen(server)}`;

beforeEach(() => {
  requests = 0;
});

const waitForEnd = (socket: Socket) => new Promise<void>((resolve) => socket.on('close', () => resolve()));
const http = createByteClient({ base, timeout: 2_000, maxBytes: 10_000, tls: {} });
const get = (options: object = {}) => http.get<Buffer>('/x', options);
const write = () => http.post('/x', Buffer.from('{}'));
const answer = (body: Buffer | string, ...headers: string[]) =>
  Buffer.concat([
    Buffer.from(['HTTP/1.1 200 OK', `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', ''].join('\r\n')),
    Buffer.from(body),
  ]);

/** The kind of the failure of a read or a write, and its code. */
async function findFailure(work: Promise<unknown>, isWrite = false): Promise<string> {
  const error = await work.then(
    () => 'it succeeded',
    (reason: unknown) => reason,
  );
  const failure = toNetworkFailure(error, isWrite);
  return `${failure.kind} ${getCauseCode(failure)}`;
}

describe('an answer', () => {
  const text = 'x'.repeat(9_000);

  test.each<[string, Buffer]>([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('packed by %s is unpacked', async (encoding, packed) => {
    serve = (socket) => socket.write(answer(packed, `Content-Encoding: ${encoding}`));
    expect((await get()).data.toString()).toBe(text);
  });

  test.each(['gzip', 'deflate', 'br', 'identity'])('without a byte is empty, though it says %s', async (encoding) => {
    serve = (socket) => socket.write(answer('', `Content-Encoding: ${encoding}`));
    expect((await get()).data).toHaveLength(0);
  });

  test.each<[string, Buffer]>([
    ['gzip', gzipSync('x'.repeat(10_001))],
    ['deflate', deflateRawSync('x'.repeat(10_001))],
    ['br', brotliCompressSync('x'.repeat(10_001))],
    ['identity', Buffer.alloc(10_001)],
  ])('packed by %s has more bytes than the limit', async (encoding, packed) => {
    serve = (socket) => socket.write(answer(packed, `Content-Encoding: ${encoding}`));
    expect(await findFailure(get())).toBe('bad_answer TOO_LARGE');
  });

  test.each<[string, Buffer]>([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
  ])('that is no %s, or cut, is damaged', async (encoding, packed) => {
    for (const body of [Buffer.from('no such thing'), packed.subarray(0, -4)]) {
      serve = (socket) => socket.write(answer(body, `Content-Encoding: ${encoding}`));
      expect(await findFailure(get())).toBe('bad_answer ERR_BAD_RESPONSE');
    }
  });

  test.each<[string, string, string]>([
    ['its length', 'Content-Length: 100', 'abc'],
    ['its length, on a connection that is not kept', 'Content-Length: 100\r\nConnection: close', 'abc'],
    ['its last chunk', 'Transfer-Encoding: chunked', '3\r\nabc\r\n'],
    [
      'its last chunk, on a connection that is not kept',
      'Transfer-Encoding: chunked\r\nConnection: close',
      '3\r\nabc\r\n',
    ],
  ])('that ends before %s is cut', async (_, headers, body) => {
    serve = (socket) => socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`);
    expect(await findFailure(get())).toMatch(/^bad_answer (ERR_BAD_RESPONSE|HPE_)/);
  });

  test('without a length lasts until the connection ends', async () => {
    serve = (socket) => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it');
    expect((await get()).data.toString()).toBe('all of it');
  });

  test('that speaks no HTTP is a bad answer', async () => {
    serve = (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n');
    expect(await findFailure(get())).toMatch(/^bad_answer HPE_/);
  });

  test('has header names in lower case, and one value for each', async () => {
    serve = (socket) => socket.write(answer('', 'ETag: W/"1"', 'Link: <a>', 'LINK: <b>'));
    expect(await get()).toMatchObject({ headers: { etag: 'W/"1"', link: '<a>, <b>' } });
  });
});

describe('a connection', () => {
  test('that the server closed while it was idle fails no request, and none is sent twice', async () => {
    serve = (socket) => socket.end(answer('here'));
    for (let turn = 0; turn < 5; turn++) {
      expect((await get()).status).toBe(200);
      expect((await write()).status).toBe(200);
    }
    expect(requests).toBe(10);
  });

  test('that the server closes when a further write has come leaves open what became of it, and sends it once', async () => {
    serve = (socket, _, count) => (count === 1 ? socket.write(answer('here')) : socket.end());
    expect((await get()).status).toBe(200);
    expect(await findFailure(write(), true)).toBe('outcome_unknown ECONNRESET');
    expect(requests).toBe(2);
  });

  test('that ends before an answer leaves open what became of a write', async () => {
    serve = (socket) => socket.end();
    expect(await findFailure(get())).toBe('unavailable ECONNRESET');
    expect(await findFailure(write(), true)).toBe('outcome_unknown ECONNRESET');
    serve = (socket) => socket.resetAndDestroy();
    expect(await findFailure(get())).toBe('unavailable ECONNRESET');
    expect(await findFailure(write(), true)).toBe('outcome_unknown ECONNRESET');
  });

  test('whose encryption is damaged behind a write leaves open what became of it', async () => {
    const certificate = makeCertificate();
    let executed = 0;
    const system = createTlsServer(certificate, (socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          executed += 1;
          socket.write(answer('here'));
        });
    });
    const port = await listen(system);
    const sockets: Socket[] = [];
    const between = createServer((caller) => {
      const behind = connect(port, '127.0.0.1');
      sockets.push(caller, behind);
      for (const socket of sockets) socket.on('error', () => undefined);
      caller.pipe(behind);
      behind.on('data', (bytes) => caller.write(executed > 0 ? 'HTTP/1.1 502 Bad Gateway\r\n\r\n' : bytes));
    });
    const secure = createByteClient({
      base: `https://127.0.0.1:${await listen(between)}`,
      timeout: 2_000,
      maxBytes: 10_000,
      tls: { ca: certificate.cert },
    });
    const failure = await findFailure(secure.post('/x', Buffer.from('{}')), true);
    for (const socket of sockets) socket.destroy();
    expect([executed, failure]).toEqual([1, expect.stringMatching(/^outcome_unknown ERR_SSL_/)]);
  });

  test('is kept for the next request, or the one after it', async () => {
    const used = new Set<Socket>();
    serve = (socket) => {
      used.add(socket);
      socket.write(answer('here'));
    };
    for (let turn = 0; turn < 20; turn++) await get();
    expect(used.size).toBeLessThanOrEqual(2);
  });
});

describe('a request', () => {
  test('has one limit for all of its time, however steadily the answer comes', async () => {
    let closed: Promise<void> | undefined;
    serve = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 5);
      closed = waitForEnd(socket).then(() => clearInterval(timer));
    };
    expect(await findFailure(get({ timeout: 60 }))).toBe('timeout ETIMEDOUT');
    await closed;
  });

  test('ends with its caller, and its connection with it', async () => {
    let closed: Promise<void> | undefined;
    serve = (socket) => {
      closed = waitForEnd(socket);
      caller.abort();
    };
    const caller = new AbortController();
    expect(await findFailure(get({ signal: caller.signal }))).toBe('timeout ERR_CANCELED');
    await closed;
  });

  test('that was sent when its caller left may have been executed, one without a connection not', async () => {
    const caller = new AbortController();
    serve = () => caller.abort();
    const sent = http.post('/x', Buffer.from('{}'), { signal: caller.signal });
    expect(await findFailure(sent, true)).toBe('outcome_unknown ERR_CANCELED');
    const leaving = new AbortController();
    const unsent = http.post('/x', Buffer.from('{}'), { signal: leaving.signal });
    await Promise.resolve();
    leaving.abort();
    expect(await findFailure(unsent, true)).toBe('timeout ERR_CANCELED');
    expect(requests).toBe(1);
  });

  test('leaves no timer and no listener behind', async () => {
    serve = (socket) => socket.write(answer('here'));
    const { signal } = new AbortController();
    let listeners = 0;
    const watched = {
      aborted: false,
      addEventListener: (...args: Parameters<AbortSignal['addEventListener']>) => {
        listeners += 1;
        signal.addEventListener(...args);
      },
      removeEventListener: (...args: Parameters<AbortSignal['removeEventListener']>) => {
        listeners -= 1;
        signal.removeEventListener(...args);
      },
    };
    const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    const before = timers();
    await Promise.all(Array.from({ length: 20 }, () => get({ signal: watched })));
    expect(listeners).toBe(0);
    // The test runner has timers of its own, which come and go.
    expect(timers()).toBeLessThan(before + 20);
  });

  test('that is too large is not sent', async () => {
    const huge = http.post('/x', Buffer.alloc((32 << 20) + 1));
    expect(await findFailure(huge, true)).toBe('unavailable ERR_FR_MAX_BODY_LENGTH_EXCEEDED');
    expect(requests).toBe(0);
  });
});
