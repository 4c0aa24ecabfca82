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

  test('close it when more than a few wait for their responses', async () => {
    const begun: string[] = [];
    await start((req) => void begun.push(req.url ?? ''));
    const { socket, closed } = await open();
    socket.write(Array.from({ length: 500 }, (_, i) => get(`/${i}`)).join(''));
    await closed;
    expect(begun).toHaveLength(4);
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
    await start((_req, res) => void res.end('<refused>'), { requestTimeout: 60_000 });
    const { socket, received, closed } = await open();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 20);
    await closed;
    clearInterval(timer);
    expect(findEchoes(received())).toEqual(['<refused>']);
  });

  test('go on after a body that nobody read', async () => {
    await start((req, res) => void res.end(`<${req.url}>`));
    const { socket, received } = await open();
    const body = 'x'.repeat(300_000);
    socket.write(`POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}${get('/2')}`);
    await until(() => findEchoes(received()).length === 2);
    expect(findEchoes(received())).toEqual(['</1>', '</2>']);
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
    await Promise.race([connection.closed, until(() => findEchoes(connection.received()).length > 0)]);
    return findEchoes(connection.received()).length > 0;
  };

  test('is bounded for each address', async () => {
    await start(echo, { maxConnectionsPerAddress: 1 });
    const first = await open('127.0.0.2');
    expect(await served(first)).toBe(true);
    expect(await served(await open('127.0.0.2'))).toBe(false);
    expect(await served(await open('127.0.0.3'))).toBe(true);
    first.socket.destroy();
    await until(() => first.socket.destroyed);
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
});
