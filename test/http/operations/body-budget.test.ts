import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BodyBudget } from '../../../src/http/operations/body-budget.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { exchange, send } from '../../support/raw-request.ts';

describe('the budget of bodies', () => {
  test('takes bodies until it is full, and again when one is over', () => {
    const budget = new BodyBudget(100);
    const release = budget.reserve(60, false);
    expect(budget.reserve(41, false)).toBeUndefined();
    expect(budget.reserve(40, false)).toBeDefined();
    release?.();
    expect(budget.reserve(60, false)).toBeDefined();
  });

  test('keeps a quarter for small bodies', () => {
    const budget = new BodyBudget(100);
    expect(budget.reserve(76, true)).toBeUndefined();
    expect(budget.reserve(75, true)).toBeDefined();
    expect(budget.reserve(25, false)).toBeDefined();
  });

  test('has room for 32 large bodies, however small they are', () => {
    const budget = new BodyBudget(1_000);
    const releases = Array.from({ length: 32 }, () => budget.reserve(1, true));
    expect(releases).not.toContain(undefined);
    expect(budget.reserve(1, true)).toBeUndefined();
    expect(budget.reserve(1, false)).toBeDefined();
    releases[0]?.();
    expect(budget.reserve(1, true)).toBeDefined();
  });
});

describe('the bodies in flight of all connections', () => {
  let gateway: RunningGateway;
  let headers: Record<string, string>;
  const path = '/patients/ana/ticket_type/receta/ticket';
  const ticket = Buffer.from(JSON.stringify({ observations: 'x', fields: [] }).padEnd(700_000, ' '));

  beforeAll(async () => {
    gateway = await startGateway({ environment: { PUENTE_HTTP_MAX_BODY_BYTES: '1048576' } });
    headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' };
  });
  afterAll(() => gateway.stop());

  /** Begins a ticket whose body does not end. */
  async function hold(extra: string): Promise<Socket> {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const head = Object.entries({ host: 'x', ...headers, expect: '100-continue' });
    socket.write(
      `POST ${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${extra}\r\n\r\n`,
    );
    await once(socket, 'data');
    await new Promise((resolve) => setTimeout(resolve, 20));
    return socket;
  }

  test('are bounded: beside a large one another is 503, but small ones are taken', async () => {
    const socket = await hold(`content-length: ${ticket.length}`);
    const refused = await send(gateway.url, 'POST', path, headers, ticket);
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([503, 'overloaded']);
    expect(refused.headers['retry-after']).toBe('1');
    expect((await send(gateway.url, 'POST', path, headers, '{}')).status).toBe(201);
    socket.destroy();
    await once(socket, 'close');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await send(gateway.url, 'POST', path, headers, ticket)).status).toBe(201);
  });

  test('count with the limit of the operation when they do not say their length', async () => {
    const head = Object.entries({ host: 'x', connection: 'close', ...headers, 'transfer-encoding': 'chunked' });
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const answer = await exchange(gateway.url, `POST ${path} HTTP/1.1\r\n${lines}\r\n2\r\n{}\r\n0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  });
});
