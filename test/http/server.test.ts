import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, listen } from '../../src/http/server.ts';
import { WinstonLog } from '../../src/runtime/logger.ts';
import { Lines } from '../support/lines.ts';

const limits = {
  headersTimeout: 300,
  requestTimeout: 300,
  keepAliveTimeout: 1_000,
  maxHeaderSize: 2_048,
  maxBodyBytes: 1_048_576,
  maxConnections: 2,
  maxConnectionsPerAddress: 2,
  trustedProxies: [],
  sendTimeout: 1_000,
  readDeadline: 1_000,
  writeDeadline: 1_000,
};
const lines = new Lines();
const log = new WinstonLog({ level: 'info', format: 'json', stream: lines });
let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function start(app: RequestListener): Promise<number> {
  server = createServer(app, { limits, basePath: '/api', log });
  return listen(server, { host: '127.0.0.1', port: 0 });
}

/** All that comes back on one connection until it is closed. */
async function say(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let received = '';
  socket.on('data', (part) => {
    received += part;
  });
  socket.on('error', () => undefined);
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

const hello: RequestListener = (_req, res) => void res.end('hello');
const request = 'GET / HTTP/1.1\r\nHost: x\r\n';

describe('the server', () => {
  test.each([
    ['that is not HTTP', 'what is this\r\n\r\n', 400, 'malformed_request'],
    ['whose headers are too large', `${request}X: ${'x'.repeat(3_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['whose headers do not come in time', request, 408, 'request_timeout'],
  ])('answers a request %s with a problem, logs it and hangs up', async (_what, text, status, code) => {
    const answer = await say(await start(hello), text);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toContain('Content-Type: application/problem+json; charset=utf-8');
    expect(head).toContain('Cache-Control: no-store');
    expect(JSON.parse(body)).toMatchObject({ status, code, type: `/api/problems/${code}` });
    const requestId = /X-Request-Id: (\S+)/.exec(head)?.[1];
    expect(JSON.parse(lines.all.at(-1) ?? '')).toMatchObject({ event: 'request', status, code, requestId });
  });

  test('does not write a problem into an answer that has begun', async () => {
    const port = await start((_req, res) => {
      res.writeHead(200, { 'Content-Length': 10 }).write('hello');
    });
    const answer = await say(port, `${request}Content-Length: 5\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/hello$/);
  });

  test('takes no more connections than its limit', async () => {
    const port = await start(hello);
    const open = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    await Promise.all(open.map((socket) => once(socket, 'connect')));
    expect(await say(port, `${request}\r\n`)).toBe('');
    for (const socket of open) socket.destroy();
  });

  test('says when it cannot listen', async () => {
    const port = await start(hello);
    const second = createServer(hello, { limits, basePath: '', log });
    await expect(listen(second, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
