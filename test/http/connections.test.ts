import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { type Connection, echo, findEchoes, get, open, start, until } from '../support/raw-connections.ts';

describe('the requests of one connection', () => {
  test('are all answered, in their order', async () => {
    await start(echo);
    const { socket, received } = await open();
    const paths = Array.from({ length: 4 }, (_, i) => `/${i}`);
    socket.write(paths.map(get).join(''));
    await until(() => findEchoes(received()).length === paths.length);
    expect(findEchoes(received())).toEqual(paths.map((path) => `<GET ${path} >`));
  });

  test('close it when more than a few wait for their responses, and none of those that came with it is begun', async () => {
    const begun: string[] = [];
    const stackTraceLimits = new Set<number>();
    const { server } = await start((req) => void begun.push(req.url ?? ''));
    server.on('request', (req) => void req.once('aborted', () => stackTraceLimits.add(Error.stackTraceLimit)));
    const { socket, closed } = await open();
    socket.write(Array.from({ length: 500 }, (_, i) => get(`/${i}`)).join(''));
    await closed;
    await until(() => stackTraceLimits.size > 0);
    expect(begun).toEqual([]);
    expect([...stackTraceLimits]).toEqual([0]);
    expect(Error.stackTraceLimit).toBeGreaterThan(0);
  });

  test('close it when more than a few come one after another while they wait', async () => {
    const begun: string[] = [];
    await start((req) => void begun.push(req.url ?? ''));
    const { socket, closed } = await open();
    for (let i = 1; i <= 4; i++) {
      socket.write(get(`/${i}`));
      await until(() => begun.length === i);
    }
    socket.write(get('/5'));
    await closed;
    expect(begun).toEqual(['/1', '/2', '/3', '/4']);
  });

  test('are over with the connection, also those that wait for the response to another', async () => {
    const over: string[] = [];
    await start((req, res) => void res.once('close', () => over.push(req.url ?? '')));
    const { socket } = await open();
    socket.write(`${get('/1')}${get('/2')}${get('/3')}`);
    setTimeout(() => socket.destroy(), 50);
    await until(() => over.length === 3);
    expect(over.toSorted()).toEqual(['/1', '/2', '/3']);
  });

  test('end with a body that goes on for long after the response', async () => {
    await start((_req, res) => void res.end('<refused>'));
    const { socket, received, closed } = await open();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 20);
    await closed;
    clearInterval(timer);
    expect(findEchoes(received())).toEqual(['<refused>']);
  });

  test('go on after a body that came with its head, and end with one of which more was to come', async () => {
    await start((req, res) => void res.end(`<${req.url}>`));
    const { socket, received, closed } = await open();
    const post = (path: string, body: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    socket.write(`${post('/1', 'x')}${get('/2')}`);
    await until(() => findEchoes(received()).length === 2);
    socket.write(`${post('/3', 'x'.repeat(300_000))}${get('/4')}`);
    await closed;
    expect(findEchoes(received())).toEqual(['</1>', '</2>', '</3>']);
  });

  test('end with the connection when the caller has sent its last', async () => {
    await start(echo);
    const { socket, received, closed } = await open();
    socket.end(`${get('/1')}${get('/2')}`);
    await closed;
    expect(findEchoes(received())).toEqual(['<GET /1 >', '<GET /2 >']);
  });
});

describe('a caller who does not take its response', () => {
  test('loses the connection after the send timeout', async () => {
    const closed = Promise.withResolvers<boolean>();
    await start(
      (_req, res) => {
        res.once('close', () => closed.resolve(res.writableFinished));
        res.end(Buffer.alloc(20_000_000));
      },
      { sendTimeout: 40 },
    );
    const { socket } = await open();
    socket.pause();
    socket.write(get('/'));
    expect(await closed.promise).toBe(false);
  });

  test('keeps it as long as each response is taken in time', async () => {
    await start((_req, res) => void res.end('<ok>'), { sendTimeout: 20 });
    const { socket, received } = await open();
    for (let count = 1; count <= 4; count++) {
      socket.write(get('/'));
      await until(() => findEchoes(received()).length === count);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    expect(socket.destroyed).toBe(false);
  });
});

describe('the number of connections', () => {
  const served = async (connection: Connection): Promise<boolean> => {
    connection.socket.write(get('/'));
    await until(() => connection.socket.destroyed || findEchoes(connection.received()).length > 0);
    return findEchoes(connection.received()).length > 0;
  };

  test('is bounded for each address, whose own silent and idle connections give way, and none at work', async () => {
    const held: string[] = [];
    await start((req, res) => (req.url === '/hold' ? void held.push('/hold') : echo(req, res)), {
      maxConnectionsPerAddress: 2,
    });
    const silent = await open('127.0.0.2');
    const idle = await open('127.0.0.2');
    expect(await served(idle)).toBe(true);
    const working = await open('127.0.0.2');
    await silent.closed;
    working.socket.write(get('/hold'));
    await until(() => held.length === 1);
    expect(idle.socket.destroyed).toBe(false);
    const second = await open('127.0.0.2');
    await idle.closed;
    second.socket.write(get('/hold'));
    await until(() => held.length === 2);
    expect(await served(await open('127.0.0.2'))).toBe(false);
    expect(await served(await open('127.0.0.3'))).toBe(true);
    expect([working, second].map(({ socket }) => socket.destroyed)).toEqual([false, false]);
    second.socket.destroy();
    await second.closed;
    await until(() => second.socket.destroyed);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await served(await open('127.0.0.2'))).toBe(true);
  });

  test('is not bounded for a trusted proxy but by the limit of all', async () => {
    await start(echo, { maxConnectionsPerAddress: 1, trustedProxies: ['127.0.0.0/31', '127.0.0.2'] });
    expect(await served(await open('127.0.0.2'))).toBe(true);
    expect(await served(await open('127.0.0.2'))).toBe(true);
  });

  test('makes room for a new one by closing the one that is idle longest', async () => {
    const holding = new Set<string>();
    await start((req, res) => (req.url === '/hold' ? void holding.add('/hold') : echo(req, res)), {
      maxConnections: 2,
    });
    const busy = await open();
    busy.socket.write(get('/hold'));
    await until(() => holding.size > 0);
    const idle = await open();
    expect(await served(idle)).toBe(true);
    expect(await served(await open())).toBe(true);
    await idle.closed;
    expect(busy.socket.destroyed).toBe(false);
  });

  test('makes room for a new one by closing silent ones first, of the address with the most, and none at work', async () => {
    const held: string[] = [];
    const hold = (req: IncomingMessage, res: ServerResponse) =>
      req.url === '/hold' ? void held.push('/hold') : echo(req, res);
    await start(hold, { maxConnections: 6, maxConnectionsPerAddress: 6, trustedProxies: ['127.0.0.9'] });
    const proxy = await open('127.0.0.9');
    expect(await served(proxy)).toBe(true);
    const few = await open('127.0.0.2');
    expect(await served(few)).toBe(true);
    const working = await open('127.0.0.3');
    working.socket.write(get('/hold'));
    await until(() => held.length === 1);
    const idle = await open('127.0.0.3');
    expect(await served(idle)).toBe(true);
    const incomplete = await open('127.0.0.3');
    incomplete.socket.write('GET / HTTP/1.1\r\nHost');
    const silent = await open('127.0.0.3');
    await new Promise((resolve) => setTimeout(resolve, 20));

    const closed: string[] = [];
    for (const [name, { closed: over }] of Object.entries({ proxy, few, working, idle, incomplete, silent }))
      void over.then(() => closed.push(name));
    const newcomers = [];
    for (let address = 4; address < 8; address++) {
      const newcomer = await open(`127.0.0.${address}`);
      newcomers.push(await served(newcomer));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(newcomers).toEqual([true, true, true, true]);
    expect(closed.slice(0, 2).toSorted()).toEqual(['incomplete', 'silent']);
    // Each address has one idle connection now: those that were used the longest ago.
    expect(closed.slice(2)).toEqual(['few', 'idle']);
    expect([proxy, working].map(({ socket }) => socket.destroyed)).toEqual([false, false]);
  });

  test('makes room by none that is at work, and by the idle ones of the address that has the most of them', async () => {
    const held: string[] = [];
    const hold = (req: IncomingMessage, res: ServerResponse) =>
      req.url === '/hold' ? void held.push('/hold') : echo(req, res);
    await start(hold, { maxConnections: 4, maxConnectionsPerAddress: 4 });
    const working = [];
    for (let count = 1; count <= 2; count++) {
      working.push(await open('127.0.0.2'));
      working.at(-1)?.socket.write(get('/hold'));
      await until(() => held.length === count);
    }
    const idle = [await open('127.0.0.3'), await open('127.0.0.3')];
    for (const each of idle) expect(await served(each)).toBe(true);
    // Its first may take the place of one of two. Its second may not take that of the only one.
    const third = await open('127.0.0.4');
    expect(await served(third)).toBe(true);
    await idle[0]!.closed;
    expect(await served(await open('127.0.0.4'))).toBe(true);
    await third.closed;
    expect(idle[1]!.socket.destroyed).toBe(false);
    for (let count = 3; count <= 4; count++) {
      working.push(await open(`127.0.0.${count + 2}`));
      working.at(-1)?.socket.write(get('/hold'));
      await until(() => held.length === count);
    }
    expect(await served(await open('127.0.0.7'))).toBe(false);
    expect(working.map(({ socket }) => socket.destroyed)).toEqual([false, false, false, false]);
  });

  test('lets a proxy in before all others, and keeps what it has', async () => {
    await start(echo, { maxConnections: 2, trustedProxies: ['127.0.0.9'] });
    const others = [await open('127.0.0.2'), await open('127.0.0.3')];
    const proxies = [];
    for (let i = 0; i < 2; i++) {
      proxies.push(await open('127.0.0.9'));
      expect(await served(proxies[i]!)).toBe(true);
      await others[i]!.closed;
    }
    expect(proxies.map(({ socket }) => socket.destroyed)).toEqual([false, false]);
  });
});
