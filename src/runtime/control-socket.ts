import { once } from 'node:events';
import { statSync, unlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import type { ReloadOutcome } from './reload.ts';

/** What is asked at the socket, e.g. by `curl -X POST --unix-socket FILE http://puente/reload`. */
export const reloadRequest = { method: 'POST', path: '/reload' } as const;

/** A server for this machine alone: the permissions of its socket decide who may ask the gateway to reload. */
export const createControlServer = (reload: () => Promise<ReloadOutcome>): Server =>
  createServer((req, res) => {
    req.resume();
    if (req.method !== reloadRequest.method || req.url !== reloadRequest.path) {
      res.writeHead(404).end();
      return;
    }
    void reload().then((outcome) => {
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(outcome));
    });
  });

/**
 * Listens on a Unix socket that only this user may use. What a process that was killed has left in its place is removed.
 * @throws the system's error when it cannot be made: `EADDRINUSE` when another process listens, or it is no socket.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  try {
    await bind(server, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isLeft = code === 'EADDRINUSE' && statSync(path).isSocket() && !(await isAnswered(path));
    if (!isLeft) throw error;
    unlinkSync(path);
    await bind(server, path);
  }
}

async function bind(server: Server, path: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
  await once(server, 'listening');
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}
