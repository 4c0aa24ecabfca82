import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { get as getByTls } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeCertificate } from './certificate.ts';
import { type Fate, FaultServer } from './server.ts';
import type { Toxic } from './toxics.ts';

const BODY = 'x'.repeat(2_000);
let requests = 0;
const server = createServer((_request, response) => {
  requests++;
  response.end(BODY);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let between: FaultServer;
let agent: Agent;
beforeEach(async () => {
  requests = 0;
  agent = new Agent({ keepAlive: true });
  between = await FaultServer.start(url);
});
afterEach(async () => {
  agent.destroy();
  await between.stop();
});

/** What came: how many bytes of the body, and the code of the error that ended it. */
const ask = (timeout = 20_000): Promise<{ bytes: number; code?: string }> =>
  new Promise((resolve) => {
    let bytes = 0;
    const fail = ({ code = '' }: NodeJS.ErrnoException) => resolve({ bytes, code });
    const request = get(between.url, { agent, timeout }, (response: IncomingMessage) => {
      response.on('data', (part: Buffer) => {
        bytes += part.length;
      });
      response.on('error', fail).on('end', () => resolve({ bytes }));
    });
    request.on('timeout', () => resolve({ bytes, code: 'waiting' })).on('error', fail);
  });

describe('a fault server', () => {
  test('lets everything pass without a toxic, below the path of the server behind it', async () => {
    expect(between.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/fhir$/);
    expect(await ask()).toEqual({ bytes: 2_000 });
    expect(await ask()).toEqual({ bytes: 2_000 });
    expect([requests, between.opened, between.open]).toEqual([2, 1, 1]);
  });

  test.each<[string, Toxic, object]>([
    ['latency delays', { type: 'latency', latency: 20 }, { bytes: 2_000 }],
    ['bandwidth slows down', { type: 'bandwidth', rate: 100 }, { bytes: 2_000 }],
    ['slicer cuts into parts', { type: 'slicer', average_size: 500, delay: 1 }, { bytes: 2_000 }],
    [
      'limit_data closes in the midst',
      { type: 'limit_data', bytes: 1_000 },
      { bytes: expect.any(Number), code: 'ECONNRESET' },
    ],
    [
      'limit_data of nothing closes without an answer',
      { type: 'limit_data', bytes: 0 },
      { bytes: 0, code: 'ECONNRESET' },
    ],
    ['reset_peer resets', { type: 'reset_peer', timeout: 0 }, { bytes: 0, code: 'ECONNRESET' }],
    ['timeout closes without an answer', { type: 'timeout', timeout: 10 }, { bytes: 0, code: 'ECONNRESET' }],
  ])('%s', async (_, toxic, seen) => {
    between.set(toxic);
    const before = performance.now();
    expect(await ask()).toEqual(seen);
    if ('latency' in toxic) expect(performance.now() - before).toBeGreaterThanOrEqual(19);
    expect(requests).toBe(1);
    between.set();
    expect(await ask()).toEqual({ bytes: 2_000 });
  });

  test('slow_close ends the connection later', async () => {
    between.set({ type: 'slow_close', delay: 50 });
    const socket = connect(Number(new URL(between.url).port), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'data');
    const before = performance.now();
    await once(socket.resume(), 'end');
    expect(performance.now() - before).toBeGreaterThan(30);
  });

  test('lets a part of the answer pass before a toxic', async () => {
    between.set({ type: 'timeout', timeout: 0, after: 1_000 });
    const { bytes, code } = await ask(50);
    expect(code).toBe('waiting');
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(1_000);
  });

  test('keeps a request from the server with a toxic upstream', async () => {
    between.set({ type: 'reset_peer', timeout: 0, stream: 'upstream' });
    expect(await ask()).toEqual({ bytes: 0, code: 'ECONNRESET' });
    expect(requests).toBe(0);
  });

  test('can spoil only the connections that are open', async () => {
    await ask();
    between.set({ type: 'reset_peer', timeout: 0, on: 'open connections' });
    expect(await ask()).toEqual({ bytes: 0, code: 'ECONNRESET' });
    expect(await ask()).toEqual({ bytes: 2_000 });
  });

  test('loses the answer to a request, which has reached the server', async () => {
    let fate: Fate = 'reset';
    between.watch = () => (sent) => (sent.includes('GET /fhir') ? fate : 'passed');
    expect(await ask()).toEqual({ bytes: 0, code: 'ECONNRESET' });
    fate = 'withheld';
    expect(await ask(50)).toEqual({ bytes: 0, code: 'waiting' });
    expect(requests).toBe(2);
    fate = 'passed';
    expect(await ask()).toEqual({ bytes: 2_000 });
  });

  test('that is down refuses, and takes connections again when it is up', async () => {
    await between.down();
    expect(await ask()).toEqual({ bytes: 0, code: 'ECONNREFUSED' });
    await between.up();
    expect(await ask()).toEqual({ bytes: 2_000 });
  });

  test('answers with given bytes without asking', async () => {
    between.answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';
    expect(await ask()).toEqual({ bytes: 2 });
    expect(requests).toBe(0);
  });

  test('speaks TLS with its certificate, which is good for its host alone', async () => {
    const certificate = makeCertificate();
    const secure = await FaultServer.start(url, certificate);
    const askBy = (options: object) =>
      new Promise((resolve) => {
        getByTls(secure.url, { agent: false, ...options }, (response) => resolve(response.resume().statusCode)).on(
          'error',
          ({ code }: NodeJS.ErrnoException) => resolve(code),
        );
      });
    expect(await askBy({ ca: certificate.cert })).toBe(200);
    expect(await askBy({})).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(await askBy({ ca: certificate.cert, servername: 'other.invalid' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    await secure.stop();
  });
});
