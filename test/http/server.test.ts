import type { RequestListener } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { createServer, listen } from '../../src/http/server.ts';
import { limits, lines, log, open, say, start } from '../support/raw-connections.ts';

const hello: RequestListener = (_req, res) => void res.end('hello');
const request = 'GET / HTTP/1.1\r\nHost: x\r\n';

describe('the server', () => {
  test.each([
    ['that is not HTTP', 'what is this\r\n\r\n', 400, 'malformed_request'],
    ['whose headers are too large', `${request}X: ${'x'.repeat(3_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['whose headers do not come in time', request, 408, 'request_timeout'],
  ])('answers a request %s with a problem, logs it and hangs up', async (_what, text, status, code) => {
    await start(hello, { headersTimeout: 300 });
    const answer = await say(text);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toContain('Content-Type: application/problem+json; charset=utf-8');
    expect(head).toContain('Cache-Control: no-store');
    expect(JSON.parse(body)).toMatchObject({ status, code, type: `/api/problems/${code}` });
    const requestId = /X-Request-Id: (\S+)/.exec(head)?.[1];
    expect(JSON.parse(lines.all.at(-1) ?? '')).toMatchObject({ event: 'request', status, code, requestId });
  });

  test('does not write a problem into an answer that has begun', async () => {
    await start((_req, res) => {
      res.writeHead(200, { 'Content-Length': 10 }).write('hello');
      setTimeout(() => res.end('world'), 200);
    });
    const { socket, received, closed } = await open();
    socket.write(`${request}Transfer-Encoding: chunked\r\n\r\n`);
    setTimeout(() => socket.write('ZZ\r\n'), 50);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*helloworld$/);
  });

  test('answers nothing where nothing was said', async () => {
    await start(hello, { headersTimeout: 100 });
    expect(await say('')).toBe('');
  });

  test('answers a request at work, and closes the connection, when no request follows it but something else', async () => {
    await start((_req, res) => void setTimeout(() => res.end('hello'), 50));
    const answer = await say(`${request}\r\nwhat is this\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nhello$/);
  });

  test('takes no more connections than its limit', async () => {
    await start(hello, { maxConnections: 2 });
    const [first] = await Promise.all([open(), open()]);
    await open();
    await first.closed;
  });

  test('says when it cannot listen', async () => {
    const { port } = await start(hello);
    const second = createServer(hello, { ...limits, basePath: '' }, log);
    await expect(listen(second, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
