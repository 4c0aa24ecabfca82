import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { findFreePort } from '../support/free-port.ts';

const isLinux = existsSync('/proc/self/limits');

(isLinux ? test : test.skip)(
  `a gateway with fewer files than connections says so, and answers probes while callers take all that they can have${isLinux ? '' : ' (skipped: this system has no /proc)'}`,
  async () => {
    const [port, opsPort] = [await findFreePort(), await findFreePort()];
    const script = 'ulimit -n 256 && exec "$0" src/cli/launch.cjs serve';
    const gateway = spawn('sh', ['-c', script, process.execPath], {
      env: { PATH: process.env.PATH, PUENTE_PORT: String(port), PUENTE_OPS_PORT: String(opsPort) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [gateway.stdout, gateway.stderr]) stream.on('data', (text: Buffer) => (said += text));
    const callers: Socket[] = [];
    const probe = () =>
      fetch(`http://127.0.0.1:${opsPort}/livez`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ status }) => status,
        () => undefined,
      );
    try {
      for (let tries = 0; (await probe()) !== 200 && tries < 200; tries++) await sleep(100);
      for (let count = 0; count < 400; count++) {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        // A request that does not end keeps its connection at work.
        socket.write('POST /patients HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n');
        callers.push(socket);
      }
      await sleep(500);
      expect(await Promise.all(Array.from({ length: 10 }, probe))).toEqual(Array(10).fill(200));
      expect(said).toMatch(
        /http\.maxConnections: is 1000, but this process may open only 256 files, .* 128 connections/,
      );
    } finally {
      for (const socket of callers) socket.destroy();
      gateway.kill('SIGKILL');
      await once(gateway, 'close');
    }
  },
  60_000,
);
