import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach } from '@jest/globals';
import { createServer, listen } from '../../src/http/server.ts';
import { WinstonLog } from '../../src/observe/log.ts';
import { Lines } from './lines.ts';

// The server of the gateway in front of an application of the test, and connections to it without a client library.

export const limits = {
  headersTimeout: 1_000,
  keepAliveTimeout: 1_000,
  maxHeaderSize: 2_048,
  maxBodyBytes: 1_048_576,
  maxConnections: 3,
  maxConnectionsPerAddress: 3,
  trustedProxies: [] as readonly string[],
  sendTimeout: 1_000,
  readDeadline: 1_000,
  writeDeadline: 1_000,
};
/** What the servers of the file logged. */
export const lines = new Lines();
export const log = new WinstonLog({ level: 'info', format: 'json', stream: lines });
let server: Server;
let port: number;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

export async function start(app: RequestListener, changed: Partial<typeof limits> = {}) {
  server = createServer(app, { ...limits, ...changed, basePath: '/api' }, log);
  port = await listen(server, { host: '127.0.0.1', port: 0 });
  return { server, port };
}

export interface Connection {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<unknown>;
}

export async function open(localAddress?: string): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', ...(localAddress !== undefined && { localAddress }) });
  sockets.push(socket);
  let received = '';
  socket.setEncoding('latin1').on('data', (part) => {
    received += part;
  });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return { socket, received: () => received, closed };
}

/** All that comes back on one connection until it is closed. */
export async function say(text: string): Promise<string> {
  const { socket, received, closed } = await open();
  socket.write(text);
  await closed;
  return received();
}

/** Waits until it is so, at most so long that a slow machine is not taken for a fault. */
export async function until(isSo: () => boolean): Promise<void> {
  for (const started = performance.now(); !isSo() && performance.now() - started < 30_000; ) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Responds with the method, the path and the body. */
export const echo: RequestListener = (req, res) => {
  let body = '';
  req.setEncoding('latin1').on('data', (part) => {
    body += part;
  });
  req.on('end', () => res.end(`<${req.method} ${req.url} ${body}>`));
};

export const findEchoes = (text: string): string[] => text.match(/<[^>]*>/g) ?? [];
