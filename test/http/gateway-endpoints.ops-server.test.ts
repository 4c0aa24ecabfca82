import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Refusals } from '../../src/auth/refusals.ts';
import { createOpsServer, createReadiness } from '../../src/http/gateway-endpoints.ts';
import { OmittedRecords } from '../../src/http/omitted-records.ts';
import { listen } from '../../src/http/server.ts';

const impairment = { code: 'circuit_open', detail: 'the backend fails' };
const refusals = new Refusals();
const lines: unknown[] = [];
const log = { write: (...line: unknown[]) => void lines.push(line) };
let isDraining = false;
const describeReadiness = createReadiness(
  {
    get started() {
      return isDraining;
    },
  },
  () => [impairment],
  new OmittedRecords(),
);
const server = createOpsServer({ describeReadiness, refusals, log });

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('the listener of the probes', () => {
  test('serves a probe with a query, as the port of the callers does', async () => {
    const base = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`;
    expect((await fetch(`${base}/readyz?verbose`)).status).toBe(200);
    expect((await fetch(`${base}/livez?from=probe`)).status).toBe(200);
    expect(lines.splice(0)).toMatchObject([
      ['debug', 'request', { route: 'GET /readyz', status: 200 }],
      ['debug', 'request', { route: 'GET /livez', status: 200 }],
    ]);
  });

  test('serves liveness and readiness, and nothing else without metrics', async () => {
    const base = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`;
    expect(await (await fetch(`${base}/livez`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${base}/readyz`)).json()).toEqual({ status: 'impaired', impairments: [impairment] });
    for (const reason of ['expired', 'bad_signature', 'expired']) refusals.add(reason);
    expect(await (await fetch(`${base}/readyz`)).json()).toMatchObject({
      refused: [
        { reason: 'expired', count: 2 },
        { reason: 'bad_signature', count: 1 },
      ],
    });
    isDraining = true;
    const draining = await fetch(`${base}/readyz`);
    expect([draining.status, await draining.json()]).toEqual([503, { status: 'draining' }]);
    for (const [method, path] of [
      ['GET', '/patients/ana'],
      ['GET', '/openapi.json'],
      ['POST', '/livez'],
    ]) {
      const answer = await fetch(`${base}${path}`, { method: method! });
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(await answer.json()).toMatchObject({ status: 404, code: 'route_unknown' });
    }
    expect(lines).toHaveLength(7);
    const requestId = expect.any(String);
    expect(lines).toContainEqual(['debug', 'request', { requestId, route: 'GET /livez', status: 200 }]);
    expect(lines).toContainEqual(['debug', 'request', { requestId, route: 'GET /readyz', status: 503 }]);
    expect(lines).toContainEqual(['debug', 'request', { requestId, route: 'GET *', status: 404 }]);
  });
});

test('probes are answered beside silent connections, of their own address too', async () => {
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  const open = (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    return once(socket, 'connect').then(() => socket);
  };
  const silent = await Promise.all(
    ['127.0.0.1', '127.0.0.2', '127.0.0.3'].flatMap((address) => Array.from({ length: 100 }, () => open(address))),
  );
  for (let i = 0; i < 10; i++) expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
  for (const socket of silent) socket.destroy();
});

test('with metrics it serves them as Prometheus reads them', async () => {
  const contentType = 'text/plain; version=0.0.4; charset=utf-8';
  let isBroken = false;
  const render = async () => (isBroken ? Promise.reject(new Error()) : 'up 1\n');
  const measured = createOpsServer({ describeReadiness, refusals, log, metrics: { contentType, render } });
  const base = `http://127.0.0.1:${await listen(measured, { host: '127.0.0.1', port: 0 })}`;
  const answer = await fetch(`${base}/metrics`);
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    200,
    contentType,
    'up 1\n',
  ]);
  isBroken = true;
  await expect(fetch(`${base}/metrics`)).rejects.toThrow('fetch failed');
  expect((await fetch(`${base}/livez`)).status).toBe(200);
  measured.closeAllConnections();
  await new Promise((resolve) => measured.close(resolve));
});
