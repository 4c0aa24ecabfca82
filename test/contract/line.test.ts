import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { openLine } from '../../src/contract/line.ts';
import { serve } from '../support/listen.ts';

/** What the system was asked. */
const asked: string[] = [];
const system = await serve(async (request, response) => {
  const { method, url, headers } = request;
  asked.push(`${method} ${url} ${headers['x-request-id']} ${await text(request)}`);
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
