import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createProviderClient } from '../../src/auth/remote-keys.ts';
import { findCauseCode } from '../../src/toolkit/failures.ts';
import { makeCertificate } from '../fault-server/certificate.ts';
import { listen, serve } from '../support/listen.ts';

const { key, cert } = makeCertificate();
const respond: RequestListener = (_request, response) => response.end('{"here":true}');
const signal = () => AbortSignal.timeout(5_000);
const getCode = (promise: Promise<unknown>) => promise.then(() => 'answered', findCauseCode);

/** An HTTP proxy, and what it was asked for. */
async function startProxy() {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    response.end('{"here":true}');
  });
  proxy.on('connect', (request, client: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    const [host, port] = (request.url ?? '').split(':');
    const server = connect(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    server.pipe(client).pipe(server);
  });
  return { port: await listen(proxy), asked };
}

describe('an identity provider', () => {
  test('with a certificate of a private authority is reached with auth.jwt.ca alone', async () => {
    const url = new URL(`https://127.0.0.1:${await listen(createTlsServer({ key, cert }, respond))}/`);
    const { body } = await createProviderClient({ ca: cert })({ url, signal: signal() });
    expect(body).toEqual({ here: true });
    expect(await getCode(createProviderClient()({ url, signal: signal() }))).toMatch(/^(DEPTH_ZERO|SELF_SIGNED)/);
  });

  test('is reached through the proxy of auth.jwt.proxy, by a tunnel where it has TLS', async () => {
    const { port, asked } = await startProxy();
    const target = await listen(createTlsServer({ key, cert }, respond));
    const ask = createProviderClient({ ca: cert, proxy: `http://me:secret@127.0.0.1:${port}` });
    expect((await ask({ url: new URL(`https://127.0.0.1:${target}/keys`), signal: signal() })).body).toEqual({
      here: true,
    });
    expect((await ask({ url: new URL('http://id.invalid/keys'), signal: signal() })).body).toEqual({ here: true });
    expect(asked).toEqual([`CONNECT 127.0.0.1:${target}`, 'GET http://id.invalid/keys Basic bWU6c2VjcmV0']);
  });

  test('that is behind a proxy which is down cannot be reached', async () => {
    const ask = createProviderClient({ proxy: 'http://127.0.0.1:1' });
    expect(await getCode(ask({ url: new URL('http://127.0.0.1:9/'), signal: signal() }))).toBe('ECONNREFUSED');
  });

  test('that breaks a connection is asked once more, and not a third time', async () => {
    let asked = 0;
    const url = await serve((request, response) => {
      asked += 1;
      if (asked === 2) response.end('{}');
      else request.socket.destroy();
    });
    const ask = createProviderClient();
    expect(await getCode(ask({ url: new URL(url), signal: signal() }))).toBe('answered');
    expect(await getCode(ask({ url: new URL(url), signal: signal() }))).toBe('ECONNRESET');
    expect(asked).toBe(4);
  });

  test('that fails leaves neither the token nor the secret in the error', async () => {
    const ask = createProviderClient();
    const failing = await serve((request) => request.socket.destroy());
    const refusing = await serve((_request, response) => response.writeHead(401).end('{"error":"the-token"}'));
    for (const url of [failing, refusing]) {
      const error = await ask({
        url: new URL(url),
        signal: signal(),
        form: { token: 'the-token' },
        headers: { Authorization: 'Basic the-secret' },
      }).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/the-(token|secret)/);
    }
  });

  test('that answers more than a megabyte is not read to the end', async () => {
    const url = new URL(await serve((_request, response) => response.end(Buffer.alloc(2 << 20, ' '))));
    expect(await getCode(createProviderClient()({ url, signal: signal() }))).toBe('TOO_LARGE');
  });
});
