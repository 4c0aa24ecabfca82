import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { practitioners } from './fixtures.ts';

/** Stands in for your system, so that the gateway can be tried before the settings name it. */
const server = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json').end(readFileSync(practitioners));
});
server.listen(8090, '127.0.0.1', () => process.stdout.write('http://127.0.0.1:8090 answers\n'));
