import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BodyBudget } from '../../src/http/body.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { exchange, send } from '../support/raw-request.ts';

describe('the budget of bodies', () => {
  const KB = 1024;
  const begin = (budget: BodyBudget, ...clients: string[]) => clients.map((client) => budget.begin(client));

  test('takes what comes until it is full, and again when a body is over', () => {
    const [one, two] = begin(new BodyBudget(100 * KB), 'app', 'portal');
    expect([one?.add(60 * KB), two?.add(41 * KB), two?.add(40 * KB)]).toEqual([true, false, true]);
    one?.release();
    one?.release();
    expect([two?.add(24 * KB), two?.add(12 * KB)]).toEqual([true, false]);
  });

  test('keeps a quarter for small bodies', () => {
    const [large, small, next] = begin(new BodyBudget(200 * KB), 'app', 'portal', 'desk');
    expect([large?.add(151 * KB), large?.add(150 * KB), large?.add(1)]).toEqual([false, true, false]);
    expect([small?.add(50 * KB), next?.add(1)]).toEqual([true, false]);
  });

  test('takes small bodies of a client beside its large one', () => {
    const [large, small] = begin(new BodyBudget(200 * KB), 'app', 'app');
    expect([large?.add(150 * KB), small?.add(50 * KB)]).toEqual([true, true]);
  });

  test('leaves half to others than one client, which may always have one body', () => {
    const budget = new BodyBudget(400 * KB);
    const [one, two, other] = begin(budget, 'app', 'app', 'portal');
    expect([one?.add(220 * KB), two?.add(60 * KB), two?.add(5 * KB)]).toEqual([true, true, false]);
    expect([one?.add(10 * KB), other?.add(10 * KB), other?.add(1)]).toEqual([true, true, true]);
    one?.release();
    expect([two?.add(5 * KB), one?.add(130 * KB), one?.add(10 * KB), other?.add(80 * KB)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });
});

describe('a large body that is announced', () => {
  const MB = 1024 * 1024;

  test('takes room from its client alone, so that one of many at once is whole', () => {
    const budget = new BodyBudget(32 * MB);
    const [first, ...more] = Array.from({ length: 60 }, () => budget.begin('app', 10 * MB));
    expect(more.filter((each) => each !== undefined)).toEqual([]);
    expect([first?.add(10 * MB), budget.begin('portal', 10 * MB)?.add(10 * MB)]).toEqual([true, true]);
    first?.release();
    expect(budget.begin('app', 10 * MB)).toBeDefined();
  });
});

describe('the bodies in flight of all connections', () => {
  let gateway: RunningGateway;
  let headers: Record<string, string>;
  const path = '/patients/ana/ticket_type/receta/ticket';
  const ticket = Buffer.from(JSON.stringify({ observations: 'x', fields: [] }).padEnd(700_000, ' '));

  const tokens = [
    'token-of-a-client-that-works-as-it-should',
    'token-of-a-client-that-says-more-than-it-sends',
  ] as const;
  const headersOf = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });

  beforeAll(async () => {
    const clients = tokens.map((token, i) => `{ client: app${i}, sha256: ${hash('sha256', token)}, scopes: all }`);
    gateway = await startGateway({
      environment: { PUENTE_HTTP_MAX_BODY_BYTES: '1048576', PUENTE_AUTH_TOKENS: `[${clients.join(', ')}]` },
    });
    headers = headersOf(tokens[0]);
  });
  afterAll(() => gateway.stop());

  /** Begins a ticket whose body does not end. */
  async function hold(extra: string, token: string = tokens[0]): Promise<Socket> {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const head = Object.entries({ host: 'x', ...headersOf(token), expect: '100-continue' });
    socket.write(
      `POST ${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${extra}\r\n\r\n`,
    );
    await once(socket, 'data');
    await new Promise((resolve) => setTimeout(resolve, 20));
    return socket;
  }

  test('are bounded: beside a large one another is 503, but small ones are taken', async () => {
    const socket = await hold(`content-length: ${ticket.length}`);
    socket.write(ticket.subarray(0, ticket.length - 1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const refused = await send(gateway.url, 'POST', path, headers, ticket);
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([503, 'overloaded']);
    expect(refused.headers['retry-after']).toBe('1');
    expect((await send(gateway.url, 'POST', path, headers, '{}')).status).toBe(201);
    socket.destroy();
    await once(socket, 'close');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await send(gateway.url, 'POST', path, headers, ticket)).status).toBe(201);
  });

  test('count what came of them, and not what they announce', async () => {
    const sockets = [];
    for (let i = 0; i < 40; i++) sockets.push(await hold(`content-length: ${ticket.length}`, tokens[1]));
    expect((await send(gateway.url, 'POST', path, headers, ticket)).status).toBe(201);
    const head = Object.entries({ ...headers, host: 'x', 'transfer-encoding': 'chunked', connection: 'close' });
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const answer = await exchange(gateway.url, `POST ${path} HTTP/1.1\r\n${lines}\r\n2\r\n{}\r\n0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    for (const socket of sockets) socket.destroy();
  });
});
