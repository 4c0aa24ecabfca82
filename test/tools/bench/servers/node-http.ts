/** Node alone: the body is there already, and one call sends it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce, readBodies } from './bodies.ts';

const bodies = new Map(Object.entries(readBodies()).map(([path, body]) => [path, JSON.stringify(body)]));

const server = createServer((req, res) => {
  const text = bodies.get(req.url ?? '') ?? '';
  res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) });
  res.end(text);
});
server.listen(0, '127.0.0.1', () => announce((server.address() as AddressInfo).port));
