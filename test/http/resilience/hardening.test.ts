import { hash } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { commonHeaders } from '../../../src/http/send.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { exchange, type RawAnswer, send } from '../../support/raw-request.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  const entry = { client: 'packer', sha256: hash('sha256', packerToken), scopes: 'all', expires: '2099-01-01' };
  gateway = await startGateway({
    environment: { PUENTE_AUTH_TOKENS: JSON.stringify([entry]), PUENTE_HTTP_PACKED_BODIES: '[packer]' },
  });
});
afterAll(() => gateway.stop());

const packerToken = 'puente_00000001_of-the-one-client-that-may-send-packed-bodies';
const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
const ofPacker = { ...zipped, authorization: `Bearer ${packerToken}` };

const lowerCased = Object.fromEntries(
  Object.entries(commonHeaders).map(([name, value]) => [name.toLowerCase(), value]),
);
const authorise = (headers: Record<string, string> = {}) => ({ authorization: `Bearer ${gateway.token}`, ...headers });
const get = (path: string, headers?: Record<string, string>) => send(gateway.url, 'GET', path, authorise(headers));
const post = (body: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  send(gateway.url, 'POST', '/patients/', authorise(headers), body);
const expectProblem = (answer: RawAnswer) => {
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  const body = JSON.parse(answer.text) as { status: number; code: string; detail: string; errors?: { at: string }[] };
  expect(body.status).toBe(answer.status);
  return body;
};

/** The log line of a request, which is written when its response is over. */
async function findLine(requestId: string | undefined): Promise<unknown> {
  for (;;) {
    const line = gateway.lines.map((each) => JSON.parse(each)).find((each) => each.requestId === requestId);
    if (line) return line;
    await sleep(5);
  }
}

describe('every answer', () => {
  test('is neither stored nor tagged nor signed by the framework', async () => {
    const { status, headers } = await get('/practitioner/');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  test.each([
    ['an operation', 'GET', '/patients/ana'],
    ['a problem', 'GET', '/patients/nobody'],
    ['a probe', 'GET', '/livez'],
    ['a page', 'GET', '/docs'],
  ])('%s has the headers that all have', async (_, method, path) => {
    const { headers } = await send(gateway.url, method, path, authorise());
    expect(headers).toMatchObject({ ...lowerCased, 'x-request-id': expect.any(String) });
  });

  test('carries the request id of the caller', async () => {
    expect((await get('/patients/ana', { 'x-request-id': 'my-id-1' })).headers['x-request-id']).toBe('my-id-1');
  });

  test.each(['', 'x'.repeat(129), 'with space', 'ñandú'])('carries a new request id instead of %p', async (id) => {
    const answer = await get('/patients/ana', { 'x-request-id': Buffer.from(id).toString('latin1') });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('to HEAD has the headers of GET and no body', async () => {
    const [got, head] = await Promise.all([
      get('/patients/ana'),
      send(gateway.url, 'HEAD', '/patients/ana', authorise()),
    ]);
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
  });
});

describe('a request that cannot be read', () => {
  test.each([
    ['text that is not JSON', '{"birth_date": ana'],
    ['half an object', '{"birth_date":'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['JSON but for one byte that is not UTF-8', Buffer.from('{"name": "Nu\xf1ez"}', 'latin1')],
    ['21 levels', `${'['.repeat(21)}${']'.repeat(21)}`],
    ['10,000 levels', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['3,000 values', JSON.stringify(Array(3_000).fill(0))],
  ])('because its body is %s answers 400', async (_, body) => {
    expect(expectProblem(await post(body))).toMatchObject({ status: 400, code: 'malformed_request' });
  });

  test.each([
    ['it has no Host', 'GET /livez HTTP/1.1\r\n', 400, 'malformed_request'],
    ['it has two Hosts', 'GET /livez HTTP/1.1\r\nHost: x\r\nhost: x\r\n', 400, 'malformed_request'],
    ['it has two Hosts in HTTP/1.0', 'GET /livez HTTP/1.0\r\nHost: x\r\nhost: x\r\n', 400, 'malformed_request'],
    ['it is CONNECT', 'CONNECT x.invalid:443 HTTP/1.1\r\nHost: x\r\n', 405, 'method_not_allowed'],
  ])('because %s is answered as a problem too, and logged', async (_, head, status, code) => {
    const answer = await exchange(gateway.url, `${head}Connection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('application/problem+json');
    expect(answer).toContain(`"code":"${code}"`);
    for (const [name, value] of Object.entries(commonHeaders)) expect(answer).toContain(`${name}: ${value}\r\n`);
    if (status === 405) expect(answer).toContain('Allow: GET, HEAD, POST, PUT, DELETE\r\n');
    const requestId = /X-Request-Id: (\S+)/.exec(answer)?.[1];
    expect(await findLine(requestId)).toMatchObject({ status, code });
  });

  test('because its headers are larger than 16 KiB answers 431', async () => {
    const answer = await exchange(
      gateway.url,
      `GET /patients/ana HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"code":"headers_too_large"');
  });

  test.each(['Content-Length: 5\r\nTransfer-Encoding: chunked', 'Content-Length: 5\r\nContent-Length: 6'])(
    'because its length is told twice (%p) answers 400',
    async (lengths) => {
      const answer = await exchange(gateway.url, `POST /patients/ HTTP/1.1\r\nHost: x\r\n${lengths}\r\n\r\n0\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    },
  );
});

describe('a request', () => {
  test('of HTTP/1.0 needs no Host', async () => {
    expect(await exchange(gateway.url, 'GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('that expects what nobody knows is answered like any other, and logged', async () => {
    const answer = await get('/patients/nobody', { expect: 'the-unexpected', 'x-request-id': 'expecting' });
    expect(expectProblem(answer).code).toBe('not_found');
    expect(await findLine('expecting')).toMatchObject({ operation: 'getPatient', status: 404 });
  });
});

describe('a caller who waits for 100 (Continue)', () => {
  const head = (more: string) =>
    `POST /patients/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n${more}\r\n`;

  test('gets it when its token is good', async () => {
    const answer = await exchange(
      gateway.url,
      `${head(`Connection: close\r\nAuthorization: Bearer ${gateway.token}\r\n`)}{}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 422 /);
  });

  test('is refused at once when it is not, and its connection is closed', async () => {
    const answer = await exchange(gateway.url, head('Authorization: Bearer nobody\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('Connection: close\r\n');
  });
});

describe('a body', () => {
  test('of more than 64 KiB answers 413', async () => {
    expect(expectProblem(await post(JSON.stringify({ email: 'x'.repeat(70_000) }))).code).toBe('payload_too_large');
  });

  test('that inflates to more than 64 KiB answers 413', async () => {
    const bomb = gzipSync(JSON.stringify({ email: 'x'.repeat(10_000_000) }));
    expect(expectProblem(await post(bomb, ofPacker)).code).toBe('payload_too_large');
  });

  test('that is packed answers 415, which names Content-Encoding, unless its client is named', async () => {
    const body = gzipSync('{}');
    const refused = await post(body, zipped);
    expect(expectProblem(refused)).toMatchObject({
      code: 'unsupported_media_type',
      detail: expect.stringContaining('Content-Encoding'),
    });
    expect(refused.headers['accept-encoding']).toBe('identity');
    expect(expectProblem(await post(body, ofPacker)).code).toBe('validation');
    expect(expectProblem(await post('{}', { ...zipped, 'content-encoding': 'identity' })).code).toBe('validation');
  });

  test('with more than 20 levels or 2,000 values answers 400, packed or not', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const many = (values: number) => `[${Array(values).fill('1').join(',')}]`;
    for (const [taken, refused, why] of [
      [nested(20), nested(21), 'deeper than 20 levels'],
      [many(2_000), many(2_001), 'more than 2,000 values'],
    ] as const) {
      expect(expectProblem(await post(taken)).code).toBe('validation');
      for (const answer of [await post(refused), await post(gzipSync(refused), ofPacker)]) {
        expect(expectProblem(answer)).toMatchObject({
          code: 'malformed_request',
          detail: expect.stringContaining(why),
        });
      }
    }
  });

  test.each([
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=utf-7' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ])('with the headers %j answers 415', async (headers) => {
    expect(expectProblem(await post('{}', headers as Record<string, string>)).code).toBe('unsupported_media_type');
  });

  test.each(['', 'Content-Type: text/plain\r\n', 'Content-Type: application/json\r\n'])(
    'that is chunked and empty is judged as one that is missing (%j)',
    async (type) => {
      const head = `POST /patients/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${gateway.token}\r\n`;
      const empty = await exchange(gateway.url, `${head}${type}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
      const missing = await send(gateway.url, 'POST', '/patients/', authorise());
      expect(empty).toMatch(/^HTTP\/1\.1 422 /);
      expect(empty).toContain(JSON.stringify(JSON.parse(missing.text).errors));
      const filled = await exchange(
        gateway.url,
        `${head}${type}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      );
      expect(filled).toMatch(type.includes('json') ? /^HTTP\/1\.1 422 / : /^HTTP\/1\.1 415 /);
    },
  );

  test('that is chunked and breaks off changes nothing, and is no fault of the gateway', async () => {
    const before = gateway.lines.length;
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const head = `PUT /patients/ana/appointments/none HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n`;
    socket.write(`${head}X-Request-Id: broken-off\r\nTransfer-Encoding: chunked\r\n\r\n`);
    await sleep(50);
    socket.destroy();
    expect(await findLine('broken-off')).toMatchObject({ level: 'info', status: 400, operation: expect.any(String) });
    expect(gateway.lines.slice(before).join()).not.toContain('unhandled');
  });

  test('that is missing answers 422', async () => {
    expect(expectProblem(await send(gateway.url, 'POST', '/patients/', authorise())).code).toBe('validation');
  });

  test.each(['null', '[]', '"x"', '1', 'true'])('of %s answers 422', async (body) => {
    expect(expectProblem(await post(body)).code).toBe('validation');
  });

  test('with the keys of prototypes neither passes nor pollutes', async () => {
    const { errors } = expectProblem(
      await post('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'),
    );
    expect(errors?.map(({ at }) => at)).toEqual(expect.arrayContaining(['/__proto__', '/constructor']));
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('with a value that does not fit is answered without that value', async () => {
    const answer = await post(
      JSON.stringify({ birth_date: 'ZZPHI-birth', identifier: { ZZ: 'ZZPHI' }, gender: 'ZZPHI-gender' }),
    );
    expect(expectProblem(answer).errors?.map(({ at }) => at)).toEqual(
      expect.arrayContaining(['/birth_date', '/gender']),
    );
    expect(answer.text).not.toContain('ZZPHI');
  });
});

describe('a path', () => {
  test.each([
    '/patients/..',
    '/patients/%2e%2e',
    '/patients/%2e%2e%2f%2e%2e%2fadmin',
    '/patients/..%5c..%5cadmin',
    '/patients/%00',
    '/patients/ana%0d%0aX-Evil:%201',
    `/patients/${'x'.repeat(10_000)}`,
    '/patients/a%20b',
    '/patients/%E2%80%AE',
    '/patients/ana%23',
    '/PATIENTS/ana',
    '//patients/ana',
    '/patients//ana',
    '/patients/ana/../bruno',
    '/nothing',
  ])('%p names nothing: 404', async (path) => {
    expect(expectProblem(await get(path)).status).toBe(404);
  });

  test('in absolute form is the same path', async () => {
    const answer = await exchange(
      gateway.url,
      `GET http://evil.example.org/patients/ana HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).not.toContain('evil');
  });
});

describe('a query', () => {
  test('counts to its end, however many unknown parameters come before', async () => {
    const unknown = 'x&'.repeat(1_500);
    const answer = await get(`/patients/search?${unknown}identifier_type=DNI&identifier=30111222`);
    expect(answer.status).toBe(200);
    const twice = await get(`/patients/search?identifier=1&${unknown}identifier=2`);
    expect(twice.status).toBe(422);
    expect(expectProblem(twice).errors?.map(({ at }) => at)).toEqual(['/identifier']);
  });

  test('may hold parameters that nobody knows', async () => {
    expect((await get('/patients/search?identifier=31465466&utm_source=x&__proto__=1')).status).toBe(200);
  });
});

describe('negotiation', () => {
  test('answers 406 to whoever excludes JSON', async () => {
    expect(expectProblem(await get('/patients/ana', { accept: 'text/html' })).code).toBe('not_acceptable');
  });

  test.each([
    'text/html;a="application/json"',
    'application/json;q=0',
    'application/json;charset=utf-8;q=0, text/html',
    'text/html, ;charset=utf-8',
  ])('answers 406 to %s too', async (accept) => {
    expect(expectProblem(await get('/patients/ana', { accept })).code).toBe('not_acceptable');
  });

  test.each([
    '*/*',
    '',
    'application/*',
    'application/json;q=0.1, text/html',
    'application/problem+json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"; version=1',
    'text/html, application/json ;profile="a,b;q=0";q=0.5',
    'application/*;charset=utf-8',
  ])('takes %s', async (accept) => {
    expect((await get('/patients/ana', { accept })).status).toBe(200);
  });

  test.each(['x'.repeat(256), 'with "quotes', ''])('answers 400 to the idempotency key %p', async (key) => {
    expect(expectProblem(await get('/patients/ana', { 'idempotency-key': key })).code).toBe('malformed_request');
  });
});
