import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { practitioners } from './fixtures.ts';

/** Stands in for your system; the port 0 is one that is free. */
export async function startSystem(port = 0) {
  const server = createServer((request, response) => {
    if (request.url !== '/practitioners') return void response.writeHead(404).end();
    response.setHeader('Content-Type', 'application/json').end(readFileSync(practitioners));
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

// As npm run system, so that the gateway can be tried before the settings name your own.
if (import.meta.main) process.stdout.write(`${(await startSystem(8090)).url} answers\n`);
