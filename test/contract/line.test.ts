import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openLine } from '../../src/contract/line.ts';
import { serve } from '../support/listen.ts';

/** What the system was asked. */
const asked: string[] = [];
const system = await serve(async (received, response) => {
  const { method, url, headers } = received;
  asked.push(`${method} ${url} ${headers['x-request-id']} ${await text(received)}`);
  response.writeHead(201, { 'X-From': 'system' }).end('made');
});
const line = await openLine(`${system}/his/`, {
  isWrite: ({ method, path }) => method === 'POST' && path !== '/his/find',
});
afterAll(() => line.close());
afterEach(() => {
  asked.length = 0;
});

const ask = (path = '/a?b=c', method = 'GET', body?: string) =>
  fetch(`${line.url}${path}`, { method, headers: { 'X-Request-Id': 'r1' }, ...(body !== undefined && { body }) });
const askStatus = async (...given: Parameters<typeof ask>) => (await ask(...given)).status;

describe('a line', () => {
  test('passes requests on below the path of the system, and its answers back', async () => {
    const answer = await ask('/a?b=c', 'POST', 'ñandú');
    expect([answer.status, answer.headers.get('x-from'), await answer.text()]).toEqual([201, 'system', 'made']);
    expect(asked).toEqual(['POST /his/a?b=c r1 ñandú']);
  });

  test('tells once what passed', async () => {
    line.takeRequests();
    await ask();
    const [passed, ...others] = line.takeRequests();
    expect(passed).toMatchObject({ method: 'GET', path: '/his/a?b=c' });
    expect(passed?.headers).toContain('r1');
    expect([...others, ...line.takeRequests()]).toEqual([]);
  });

  test('answers errors of a status, from the beginning or after so many answers, until that ends', async () => {
    const end = await line.fail.errors?.({ status: 404, after: 1 });
    expect([await askStatus(), await askStatus()]).toEqual([201, 404]);
    await end?.();
    expect(await askStatus()).toBe(201);
    expect(asked).toHaveLength(2);
    const endOthers = await line.fail.errors?.();
    expect(await askStatus()).toBe(500);
    await endOthers?.();
  });

  test('answers JSON of another form, unless the system answers the same form or an error', async () => {
    const answers = ['{"rows":[1]}', '[1]', '"said"', '<page/>'];
    const json = await serve(async ({ url }, response) => {
      response.writeHead(url === '/missing' ? 404 : 200, { 'X-From': 'system' }).end(answers[Number(url?.at(-1))]);
    });
    const strict = await openLine(json);
    const lenient = await openLine(json, { omitsEmptyLists: true });
    const read = async (url: string) => {
      const texts: string[] = [];
      for (const index of answers.keys()) texts.push(await (await fetch(`${url}/${index}`)).text());
      return texts;
    };
    const readBroken = async ({ fail, url }: typeof strict, broken: 'object' | 'list') => {
      const end = await fail.errors?.({ broken });
      const texts = await read(url);
      await end?.();
      return texts;
    };
    expect(await readBroken(strict, 'object')).toEqual(['{}', '{}', '{}', '{}']);
    expect(await readBroken(lenient, 'object')).toEqual(answers);
    expect(await readBroken(strict, 'list')).toEqual(['[]', '[1]', '[]', '[]']);
    await strict.fail.errors?.({ broken: 'object' });
    expect((await fetch(`${strict.url}/missing`)).status).toBe(404);
    await Promise.all([strict.close(), lenient.close()]);
  });

  test('answers nothing until its silence ends', async () => {
    const end = await line.fail.silence?.();
    const answer = ask();
    expect(await Promise.race([answer, once(AbortSignal.timeout(50), 'abort').then(() => 'silence')])).toBe('silence');
    expect(asked).toEqual([]);
    await end?.();
    expect((await answer).status).toBe(201);
  });

  test('loses the answer to a write that the system has done, and to no read', async () => {
    for (const [loss, comes] of [
      ['cut', 'TypeError'],
      ['error', 502],
      ['wait', 'TimeoutError'],
    ] as const) {
      const end = await line.fail.lost?.(loss);
      const write = fetch(`${line.url}/book`, { method: 'POST', signal: AbortSignal.timeout(100) });
      expect(
        await write.then(
          ({ status }) => status,
          (error: Error) => error.name,
        ),
      ).toBe(comes);
      expect(asked.splice(0)).toEqual(['POST /his/book undefined ']);
      expect([await askStatus(), await askStatus('/find', 'POST')]).toEqual([201, 201]);
      await end?.();
      asked.length = 0;
    }
  });

  test('answers errors with the headers that are wanted', async () => {
    const end = await line.fail.errors?.({ status: 429, headers: { 'Retry-After': '7' } });
    const answer = await ask();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
    await end?.();
  });

  test('ends the connection of a caller where the system is away', async () => {
    const away = await openLine('http://127.0.0.1:9');
    const name = await fetch(away.url).then(
      () => 'answered',
      (error: Error) => error.name,
    );
    await away.close();
    expect(name).toBe('TypeError');
  });
});

describe('sessions on a line', () => {
  let logins = 0;
  const roles = 'reads session- and of-br  '.repeat(9);
  const answers: Readonly<Record<string, () => string | Buffer>> = {
    '/login': () => JSON.stringify({ token: `session-${++logins}` }),
    '/same': () => JSON.stringify({ token: 'session-1' }),
    '/other': () => 'nothing',
    '/packed': () => gzipSync(JSON.stringify({ roles, token: 'session-of-gzip' })),
    '/br': () => brotliCompressSync(JSON.stringify({ roles, token: 'session-of-br' })),
  };
  const encodings: Readonly<Record<string, string>> = { '/packed': 'gzip', '/br': 'br' };
  let through: Awaited<ReturnType<typeof openLine>>;
  beforeAll(async () => {
    through = await openLine(
      await serve(async (received, response) => {
        const { url = '' } = received;
        const encoding = encodings[url];
        response.writeHead(200, { Connection: 'close', ...(encoding && { 'Content-Encoding': encoding }) });
        const body = Buffer.from(answers[url]?.() ?? '');
        response.write(body.subarray(0, 5));
        response.end(body.subarray(5));
      }),
    );
  });
  afterAll(() => through.close());

  const askWith = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await fetch(`${through.url}${path}`, { headers })).status;
  const first = { Authorization: 'Bearer session-1' };

  test('are known by what a login gives and later requests name, and are refused once they are dropped', async () => {
    await askWith('/other', { Authorization: 'Basic c2VjcmV0bw==' });
    await askWith('/login');
    await askWith('/other', first);
    expect(through.takeRequests().map(({ path, isLogin }) => [path, isLogin])).toEqual([
      ['/other', false],
      ['/login', true],
      ['/other', false],
    ]);
    const end = await through.fail.logout?.();
    expect([await askWith('/other', first), await askWith('/other', first)]).toEqual([401, 401]);
    expect([await askWith('/login'), await askWith('/other', { Cookie: 'a=b; id=session-2' })]).toEqual([200, 200]);
    expect(await askWith('/other', first)).toBe(401);
    await end?.();
    expect(await askWith('/other', first)).toBe(200);
  });

  test('count again where a login gives the same', async () => {
    const end = await through.fail.logout?.();
    expect(await askWith('/other', first)).toBe(401);
    expect([await askWith('/same'), await askWith('/other', first)]).toEqual([200, 200]);
    await end?.();
  });

  test.each([
    ['/packed', 'session-of-gzip'],
    ['/br', 'session-of-br'],
  ])('are known from a compressed answer in pieces: %s', async (path, session) => {
    through.takeRequests();
    await askWith(path);
    await askWith('/other', { Authorization: `Bearer ${session}` });
    expect(through.takeRequests().map(({ isLogin }) => isLogin)).toEqual([true, false]);
  });

  test('keep the connection of an adapter if the system closes its own', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    through.takeRequests();
    for (let time = 0; time < 3; time++) {
      const asked = request(`${through.url}/other`, { agent }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      await text(answer);
      // The agent gets the connection back in the next turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    agent.destroy();
    expect(new Set(through.takeRequests().map(({ connection }) => connection)).size).toBe(1);
  });

  test('have connections, each of which is told from the others', async () => {
    through.takeRequests();
    for (let time = 0; time < 2; time++) await askWith('/other', { Connection: 'close' });
    const [one, other] = through.takeRequests().map(({ connection }) => connection);
    expect(one).not.toBe(other);
  });
});
