import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll } from '@jest/globals';

const servers: Server[] = [];
const sockets = new Set<Socket>();

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) await server[Symbol.asyncDispose]().catch(() => undefined);
});

/** Listens on a free port of this machine until the tests of the file are over; returns the port. */
export async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** The address of an HTTP server that responds so, without a slash at its end; it is closed after the tests of the file. */
export const serve = async (respond: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(createServer(respond))}`;
