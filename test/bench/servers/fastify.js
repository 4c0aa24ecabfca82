/** Fastify as its guide has it, with its defaults. */
import fastify from 'fastify';
import { announce, readBodies } from './bodies.ts';

const app = fastify();
for (const [path, body] of Object.entries(readBodies())) app.get(path.split('?')[0], async () => body);
await app.listen({ port: 0, host: '127.0.0.1' });
announce(app.server.address().port);
