import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listen } from '../../src/http/server.ts';
import { refuseForeign } from '../../src/toolkit/own-page.ts';
import { send } from '../support/raw-request.ts';

const server = createServer((req, res) => {
  res.writeHead(refuseForeign(req)?.status ?? 200).end();
});
let base = '';
beforeAll(async () => {
  base = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const ask = async (method: string, headers: Readonly<Record<string, string>>) =>
  (await send(base, method, '/', headers)).status;

describe('a page without a login', () => {
  test.each([
    ['127.0.0.1:8081', 200],
    ['localhost:8081', 200],
    ['[::1]:8081', 200],
    ['10.0.4.12', 200],
    ['attacker.example', 421],
    ['localhost.attacker.example:8081', 421],
    ['127.0.0.1.attacker.example', 421],
    ['a b', 421],
  ])('is read by an address, and by no name that a website may bind to it: %s', async (host, status) => {
    expect(await ask('GET', { host })).toBe(status);
  });

  test('takes forms of its own alone', async () => {
    expect(await ask('POST', { origin: base })).toBe(200);
    expect(await ask('POST', { 'sec-fetch-site': 'same-origin' })).toBe(200);
    for (const headers of [
      {},
      { origin: 'null' },
      { origin: 'http://attacker.example' },
      { origin: base, 'sec-fetch-site': 'cross-site' },
      { origin: base, 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ])
      expect(await ask('POST', headers)).toBe(403);
  });
});
