import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { type Connection, echo, findEchoes, get, open, start, until } from '../support/raw-connections.ts';

describe('requests that arrive together', () => {
  test('begin a few in each turn of the event loop, so that others have theirs', async () => {
    const perTurn: number[] = [];
    let begun = 0;
    await start(
      (_req, res) => {
        if (begun === 0) {
          setImmediate(() => {
            perTurn.push(begun);
            begun = 0;
          });
        }
        begun += 1;
        res.end();
      },
      { maxConnections: 100, maxConnectionsPerAddress: 100 },
    );
    const connections = await Promise.all(Array.from({ length: 100 }, () => open()));
    // The system accepts connections one by one, so what is sent first does not arrive together.
    for (const round of [1, 2]) {
      perTurn.length = 0;
      for (const { socket } of connections) socket.write(get('/'));
      await until(() => connections.every(({ received }) => received().split('HTTP/1.1 200').length === round + 1));
    }
    expect(perTurn.reduce((sum, count) => sum + count)).toBe(100);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(8);
  });
});

describe('the requests of one connection', () => {
  test('begin one after another, however many arrive at once', async () => {
    const begun: string[] = [];
    let finish = (): unknown => undefined;
    await start((req, res) => {
      begun.push(req.url ?? '');
      finish = () => res.end();
    });
    const { socket } = await open();
    socket.write(Array.from({ length: 500 }, (_, i) => get(`/${i}`)).join(''));
    for (const count of [1, 2, 3]) {
      await until(() => begun.length === count);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(begun).toHaveLength(count);
      finish();
    }
    expect(begun).toEqual(['/0', '/1', '/2']);
  });

  test('are all answered, in their order', async () => {
    await start(echo);
    const { socket, received } = await open();
    const paths = Array.from({ length: 300 }, (_, i) => `/${i}`);
    socket.write(paths.map(get).join(''));
    await until(() => findEchoes(received()).length === paths.length);
    expect(findEchoes(received())).toEqual(paths.map((path) => `<GET ${path} >`));
  });

  const sequence = [
    get('/first'),
    'POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\nab\r\n\r\ncd\r\n\r\n',
    'POST /chunks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na\r\n\r\n\r\n3\r\nxyz\r\n0\r\n\r\n',
    get('/last'),
  ].join('');
  const echoes = [
    '<GET /first >',
    '<POST /length ab\r\n\r\ncd\r\n\r\n>',
    '<POST /chunks a\r\n\r\nxyz>',
    '<GET /last >',
  ];

  test('have the same answers wherever the network cuts them', async () => {
    const begunWhileBusy: string[] = [];
    let previous: ServerResponse | undefined;
    await start((req, res) => {
      if (previous?.writableFinished === false) begunWhileBusy.push(req.url ?? '');
      previous = res;
      echo(req, res);
    });
    for (let cut = 1; cut < sequence.length; cut += 3) {
      const { socket, received } = await open();
      socket.setNoDelay(true).write(sequence.slice(0, cut));
      await new Promise((resolve) => setTimeout(resolve, 1));
      socket.write(sequence.slice(cut));
      await until(() => findEchoes(received()).length === echoes.length);
      expect(findEchoes(received())).toEqual(echoes);
      previous = undefined;
      socket.destroy();
    }
    expect(begunWhileBusy).toEqual([]);
  });

  test('are answered when they come byte by byte', async () => {
    await start(echo);
    const { socket, received } = await open();
    socket.setNoDelay(true);
    for (const byte of sequence) {
      socket.write(byte);
      await new Promise(setImmediate);
    }
    await until(() => findEchoes(received()).length === echoes.length);
    expect(findEchoes(received())).toEqual(echoes);
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
