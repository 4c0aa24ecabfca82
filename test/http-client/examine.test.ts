import { createServer } from 'node:net';
import { createSecureContext, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { examineConnection } from '../../src/http-client/examine.ts';
import type { HttpOptions } from '../../src/http-client/exchange.ts';
import { makeCertificate } from '../fault-server/certificate.ts';
import { FaultServer } from '../fault-server/server.ts';
import { listen } from '../support/listen.ts';

let server: FaultServer | undefined;
afterEach(() => server?.stop());

const examine = (url: string, tls: HttpOptions['tls'] = {}, timeoutMs = 2_000) =>
  Array.fromAsync(examineConnection({ url, setting: 'baseUrl', tls, timeoutMs }));

/** The URL of a server, which speaks TLS with these options. */
async function start(options?: TlsOptions): Promise<string> {
  server = await FaultServer.start('http://127.0.0.1:9', options);
  return server.url;
}

describe('the examination of a connection', () => {
  test.each([
    [
      'http://127.0.0.1:9',
      'connection',
      '127.0.0.1 accepts no connections on port 9 (ECONNREFUSED)',
      /^start the server/,
    ],
    [
      'http://nowhere.invalid',
      'name of the server',
      expect.stringMatching(/^the host nowhere\.invalid cannot be resolved/),
      /baseUrl/,
    ],
  ])('ends with what nobody answers for: %s', async (url, check, detail, fix) => {
    const [found] = await examine(url);
    expect(found).toEqual({ check, ok: false, detail, fix: expect.stringMatching(fix), stops: true });
  });

  test('looks at the certificate of the name that is asked for, where a server has several', async () => {
    const ours = makeCertificate({ host: 'localhost', days: 20 });
    const url = await start({
      ...makeCertificate({ host: 'other.invalid', days: 20 }),
      SNICallback: (name, done) => done(null, name === 'localhost' ? createSecureContext(ours) : undefined),
    });
    const findings = await examine(url.replace('127.0.0.1', 'localhost'), { ca: ours.cert });
    expect(findings).toEqual([
      { check: 'name of the server', ok: true, detail: expect.stringMatching(/^localhost is .*127\.0\.0\.1/) },
      { check: 'connection', ok: true, detail: expect.stringMatching(/^localhost accepts connections on port \d+$/) },
      { check: 'TLS certificate', ok: true, detail: expect.stringMatching(/^the certificate of localhost is valid/) },
    ]);
  });

  test('shows the last day of a certificate, which is to be renewed in its last two weeks', async () => {
    const holds = /^the certificate of 127\.0\.0\.1 is valid until \d{4}-\d{2}-\d{2} \(TLSv1\.3\)/;
    for (const [days, finding] of [
      [20, { ok: true }],
      [13, { ok: false, fix: 'renew the certificate of the server now' }],
    ] as const) {
      const certificate = makeCertificate({ days });
      const findings = await examine(await start(certificate), { ca: certificate.cert });
      expect(findings.at(-1)).toMatchObject({ ...finding, detail: expect.stringMatching(holds) });
      await server?.stop();
    }
  });

  test.each([
    ['nobody vouches for it', makeCertificate(), false, 'DEPTH_ZERO_SELF_SIGNED_CERT', /^set tls\.ca/],
    ['it is past', makeCertificate({ days: -1 }), true, 'CERT_HAS_EXPIRED', /^renew/],
    ['it is for another host', makeCertificate({ host: 'x.invalid' }), true, 'ERR_TLS_CERT_ALTNAME_INVALID', /DNS:x/],
  ])('finds that a certificate does not hold when %s', async (_why, certificate, isTrusted, code, fix) => {
    const findings = await examine(await start(certificate), isTrusted ? { ca: certificate.cert } : {});
    expect(findings.at(-1)).toEqual({
      check: 'TLS certificate',
      ok: false,
      detail: `the certificate of 127.0.0.1 is invalid (${code})`,
      fix: expect.stringMatching(fix),
      stops: true,
    });
  });

  test.each([
    ['never speaks TLS', '', 'ETIMEDOUT', /enable TLS 1.2/],
    ['speaks plain HTTP', 'HTTP/1.1 400 No\r\n\r\n', 'ERR_SSL_WRONG_VERSION_NUMBER', /begin it with http:$/],
  ])('ends in time where something listens that %s', async (_, answer, code, fix) => {
    const port = await listen(createServer((socket) => void (answer && socket.end(answer))));
    const [connection, tls, ...more] = await examine(`https://127.0.0.1:${port}`, {}, 500);
    expect([connection, more]).toEqual([{ check: 'connection', ok: true, detail: expect.anything() }, []]);
    const detail = `the TLS handshake failed (${code})`;
    expect(tls).toEqual({ check: 'TLS certificate', ok: false, detail, fix: expect.stringMatching(fix), stops: true });
  });

  test('says that requests travel unencrypted to another machine, and not within this one', async () => {
    const url = await start();
    const listChecks = async (of: string) => (await examine(of)).map(({ check, ok }) => [check, ok]);
    expect(await listChecks('http://nowhere.invalid')).toContainEqual(['TLS', null]);
    const here = [
      ['name of the server', true],
      ['connection', true],
    ];
    expect(await listChecks(url.replace('127.0.0.1', 'localhost'))).toEqual(here);
    expect(await listChecks(url)).toEqual(here.slice(1));
  });
});
