/** Express 5 as its guide has it, with its defaults. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { announce, readBodies } from './bodies.ts';

const app = express();
for (const [path, body] of Object.entries(readBodies())) {
  app.get(path.split('?')[0] ?? path, (_req, res) => {
    res.json(body);
  });
}
const server = app.listen(0, '127.0.0.1', () => announce((server.address() as AddressInfo).port));
