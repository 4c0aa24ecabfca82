/** What Node alone makes of the same load: known reads get a prepared response, all else is refused at once, unread. */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const patient = Buffer.from(JSON.stringify({ name: 'x'.repeat(500) }));
const known = new Map([
  ['/livez', Buffer.from('{"status":"ok"}')],
  ['/patients/ana', patient],
  ['/practitioner/', patient],
  ['/openapi.json', readFileSync(join(import.meta.dirname, '../../openapi.json'))],
]);
const refusal = Buffer.from(JSON.stringify({ status: 503, code: 'overloaded' }));

const respond: RequestListener = (req, res) => {
  const body = known.get(req.url ?? '');
  res.writeHead(body ? 200 : 503, { 'Content-Type': 'application/json', 'Content-Length': (body ?? refusal).length });
  res.end(body ?? refusal);
};

const [port, opsPort] = await Promise.all(
  [createServer(respond), createServer(respond)].map(
    (server) =>
      new Promise<number>((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
      }),
  ),
);
process.send?.({ port, opsPort });
