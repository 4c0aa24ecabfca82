import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../adapters/http-client/axios.ts';
import { wait } from '../../support/guarded-gateway.ts';

let server: Server;

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('requests that hang, as many as the default bulkheads of three ports let run, keep no other from its answer', async () => {
  let hanging = 0;
  server = createServer((request, response) => {
    if (request.url === '/hang') hanging += 1;
    else response.end('here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttpClient({ base, timeout: 5_000, maxBytes: 1_000, tls: {} });
  const left = new AbortController();
  const count = 3 * (32 + 32 + 8 + 8);
  const hung = Promise.allSettled(Array.from({ length: count }, () => http.get('/hang', { signal: left.signal })));
  const other = await http.get<Buffer>('/other', { signal: AbortSignal.timeout(4_000) });
  expect(other.data.toString()).toBe('here');
  await wait(() => hanging === count);
  expect(hanging).toBe(count);
  left.abort();
  await hung;
});
