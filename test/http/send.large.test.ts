import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sendReply, toReply } from '../../src/http/send.ts';

/** 14 MB of JSON. */
const files = Array.from({ length: 2 }, () => ({ id: 'orden', value: 'QUJD'.repeat(1_750_000) }));

const responses: ServerResponse[] = [];
const server = createServer((req, res) => {
  responses.push(res);
  sendReply(res, 'r1', toReply(200, req.url === '/short' ? files.map(({ id }) => id) : files));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function ask(path: string, method = 'GET'): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const request = get({ host: '127.0.0.1', port, path, method });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

const read = async (response: IncomingMessage): Promise<string> =>
  Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>)).toString();

test('a short answer says how long it is', async () => {
  const response = await ask('/short');
  expect(response.headers['content-length']).toBe('17');
  expect(await read(response)).toBe('["orden","orden"]');
});

test('a long answer is what JSON.stringify writes, and others have their turn while it is sent', async () => {
  let turns = 0;
  let sending = true;
  const count = () => {
    turns += 1;
    if (sending) setImmediate(count);
  };
  const response = await ask('/long');
  count();
  expect(response.headers).toMatchObject({ 'transfer-encoding': 'chunked', 'cache-control': 'no-store' });
  expect(await read(response)).toBe(JSON.stringify(files));
  sending = false;
  // Of 64 KiB each.
  expect(turns).toBeGreaterThan(100);
});

test('a long answer has no body for HEAD', async () => {
  const response = await ask('/long', 'HEAD');
  expect(response.statusCode).toBe(200);
  expect(await read(response)).toBe('');
});

test('a long answer is written no faster than the caller takes it, and no further when the caller leaves', async () => {
  const response = await ask('/long');
  response.pause();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const res = responses.at(-1);
  expect(res?.writableLength).toBeLessThan(1_000_000);
  expect(res?.writableEnded).toBe(false);
  const closed = res && once(res, 'close');
  response.destroy();
  await closed;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(res?.writableEnded).toBe(false);
});
