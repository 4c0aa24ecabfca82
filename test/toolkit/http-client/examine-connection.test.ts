import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { examineConnection } from '../../../src/toolkit/http-client/examine-connection.ts';
import type { HttpOptions } from '../../../src/toolkit/http-client/http-options.ts';
import { makeCertificate } from '../../fault-server/certificate.ts';
import { FaultServer } from '../../fault-server/server.ts';

let server: FaultServer | undefined;
afterEach(() => server?.stop());

const examine = (url: string, tls: HttpOptions['tls'] = {}, timeoutMs = 2_000) =>
  Array.fromAsync(examineConnection({ url, setting: 'baseUrl', tls, timeoutMs }));

describe('the examination of a connection', () => {
  test('looks at the certificate of the name that is asked for, where a server has several', async () => {
    const ours = makeCertificate({ host: 'localhost', days: 20 });
    server = await FaultServer.start('http://127.0.0.1:9', {
      ...makeCertificate({ host: 'other.invalid', days: 20 }),
      SNICallback: (name, done) => done(null, name === 'localhost' ? createSecureContext(ours) : undefined),
    });
    const findings = await examine(server.url.replace('127.0.0.1', 'localhost'), { ca: ours.cert });
    expect(findings).toEqual([
      { check: 'name of the server', ok: true, detail: expect.stringMatching(/^localhost is .*127\.0\.0\.1/) },
      { check: 'connection', ok: true, detail: expect.stringMatching(/^localhost takes connections on port \d+$/) },
      { check: 'TLS certificate', ok: true, detail: expect.stringMatching(/^the certificate of localhost holds/) },
    ]);
  });

  test('ends in time where something listens that never speaks TLS', async () => {
    const silent = createServer((socket) => void sockets.push(socket));
    const sockets: Socket[] = [];
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const findings = await examine(`https://127.0.0.1:${port}`, {}, 500);
    silent.close();
    for (const socket of sockets) socket.destroy();
    expect(findings).toEqual([
      { check: 'connection', ok: true, detail: expect.anything() },
      {
        check: 'TLS certificate',
        ok: false,
        detail: 'no TLS connection comes about (ETIMEDOUT)',
        fix: expect.stringContaining('let the server speak TLS'),
        stops: true,
      },
    ]);
  });

  test('says that requests travel unencrypted to another machine, and not within this one', async () => {
    server = await FaultServer.start('http://127.0.0.1:9');
    const listChecks = async (url: string) => (await examine(url)).map(({ check, ok }) => [check, ok]);
    expect(await listChecks('http://nowhere.invalid')).toContainEqual(['TLS', null]);
    const here = [
      ['name of the server', true],
      ['connection', true],
    ];
    expect(await listChecks(server.url.replace('127.0.0.1', 'localhost'))).toEqual(here);
    expect(await listChecks(server.url)).toEqual(here.slice(1));
  });
});
