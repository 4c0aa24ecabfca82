import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AxiosError, type AxiosRequestConfig } from 'axios';
import { createByteClient, createHttpClient } from '../../src/http-client/axios.ts';
import { wait } from '../support/guarded-gateway.ts';
import { serve } from '../support/listen.ts';

// What axios documents has to be so for the client that adapters get, which sends by an adapter of its own.

interface Received {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let received: Received[] = [];
let reply: { status: number; body: string; type: string };
const server = await serve(async (request, response) => {
  received.push({ line: `${request.method} ${request.url}`, headers: request.headers, body: await text(request) });
  response.writeHead(reply.status, { 'Content-Type': reply.type }).end(reply.body);
});
const base = `${server}/his`;
const http = createHttpClient({ base, timeout: 5_000, maxBytes: 1_000, tls: {} });

beforeEach(() => {
  received = [];
  reply = { status: 200, body: '{"id":7}', type: 'application/json' };
});

const fail = (work: Promise<unknown>): Promise<AxiosError> =>
  work.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => (error instanceof AxiosError ? error : Promise.reject(error)),
  );

describe('a request', () => {
  test('has its params in the query, encoded, and a list once for each of its values', async () => {
    await http.get('/people', { params: { code: 'añ&a', kind: ['x', 'y'], none: undefined } });
    expect(received[0]?.line).toBe('GET /his/people?code=a%C3%B1%26a&kind%5B%5D=x&kind%5B%5D=y');
  });

  test('has params beside those of its path, as its paramsSerializer writes them', async () => {
    const paramsSerializer = { indexes: null };
    await http.get('/people?sort=name', { params: { kind: ['x', 'y'] }, paramsSerializer });
    expect(received[0]?.line).toBe('GET /his/people?sort=name&kind=x&kind=y');
  });

  test.each<[string, AxiosRequestConfig, string | RegExp, string]>([
    ['an object', { data: { name: 'Zoë' } }, 'application/json', '{"name":"Zoë"}'],
    ['a string', { data: 'a=1' }, 'application/x-www-form-urlencoded', 'a=1'],
    ['a string of a type', { data: '<p/>', headers: { 'Content-Type': 'text/xml' } }, 'text/xml', '<p/>'],
    ['bytes', { data: Buffer.from('x'), headers: { 'Content-Type': 'text/plain' } }, 'text/plain', 'x'],
    ['a form', { data: new URLSearchParams({ a: '1 2' }) }, 'application/x-www-form-urlencoded;charset=utf-8', 'a=1+2'],
    [
      'an object as a form',
      { data: { a: '1 2' }, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      'application/x-www-form-urlencoded',
      'a=1+2',
    ],
  ])('sends %s', async (_, config, type, body) => {
    await http.request({ method: 'POST', url: '/people', ...config });
    expect(received[0]).toMatchObject({ line: 'POST /his/people', body });
    expect(received[0]?.headers).toMatchObject({
      'content-type': type,
      'content-length': String(Buffer.byteLength(body)),
    });
  });

  test('sends a form with files, and an object as such a form', async () => {
    const form = new FormData();
    form.set('file', new Blob(['%PDF'], { type: 'application/pdf' }), 'a.pdf');
    await http.post('/files', form);
    await http.postForm('/files', { kind: 'scan' });
    const [first, second] = received;
    expect(first?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(first?.body).toMatch(/name="file"; filename="a.pdf"\r\nContent-Type: application\/pdf\r\n\r\n%PDF\r\n/);
    expect(second?.body).toMatch(/name="kind"\r\n\r\nscan\r\n/);
  });

  test('has its auth as a Basic login, and its headers', async () => {
    await http.get('/', { auth: { username: 'me', password: 'sécret' }, headers: { 'X-Request-Id': 'r1' } });
    const authorization = `Basic ${Buffer.from('me:sécret').toString('base64')}`;
    expect(received[0]?.headers).toMatchObject({ authorization, 'x-request-id': 'r1', 'user-agent': 'Puente' });
  });

  test('goes through interceptors and the transformations of its data', async () => {
    const own = createHttpClient({ base, timeout: 5_000, maxBytes: 1_000, tls: {} });
    own.interceptors.request.use((config) => Object.assign(config, { url: `${config.url}/1` }));
    const answer = await own.put('/people', 'x', {
      transformRequest: (data: string) => data.toUpperCase(),
      transformResponse: (data: string) => data.length,
    });
    expect(received[0]).toMatchObject({ line: 'PUT /his/people/1', body: 'X' });
    expect(answer.data).toBe(8);
  });

  test.each<[string, AxiosRequestConfig]>([
    ['maxRedirects', { maxRedirects: 5 }],
    ['proxy', { proxy: { host: 'localhost', port: 1 } }],
    ['httpAgent', { httpAgent: {} }],
    ['onDownloadProgress', { onDownloadProgress: () => undefined }],
  ])('is refused with %s, which would be ignored, and not sent', async (name, config) => {
    expect(await fail(http.get('/', config))).toMatchObject({
      code: 'ERR_BAD_OPTION',
      message: `${name} cannot be set for this client`,
    });
    expect(received).toEqual([]);
  });

  test('may have fewer bytes and fewer bytes of an answer than the client allows', async () => {
    expect((await fail(http.get('/', { maxContentLength: 3 }))).code).toBe('TOO_LARGE');
    expect((await fail(http.post('/', 'four', { maxBodyLength: 3 }))).code).toBe('ERR_FR_MAX_BODY_LENGTH_EXCEEDED');
    expect(received.map(({ line }) => line)).toEqual(['GET /his/']);
  });

  test('cannot leave the base by an absolute URL', async () => {
    await http.get('http://elsewhere.invalid/x').catch(() => undefined);
    expect(received[0]?.line).toBe('GET /his/http://elsewhere.invalid/x');
  });
});

describe('an answer', () => {
  test('is parsed as JSON', async () => {
    expect(await http.get('/')).toMatchObject({ status: 200, statusText: 'OK', data: { id: 7 } });
    reply.body = '\uFEFF"text"';
    expect((await http.get('/')).data).toBe('text');
    reply.body = '';
    expect((await http.get('/')).data).toBe('');
  });

  test.each<[AxiosRequestConfig, unknown]>([
    [{ responseType: 'text' }, '{"id":7}'],
    [{ responseType: 'arraybuffer' }, Buffer.from('{"id":7}')],
  ])('is what %j says', async (config, data) => {
    expect((await http.get('/', config)).data).toEqual(data);
  });

  test('is a stream for responseType stream, and read in the encoding that is asked for', async () => {
    expect(await text((await http.get('/', { responseType: 'stream' })).data)).toBe('{"id":7}');
    reply.body = '"ñ"';
    expect((await http.get('/', { responseEncoding: 'latin1' })).data).toBe('Ã±');
  });

  test('that is not JSON is an error that repeats nothing of it', async () => {
    reply.body = '<html>Ana Suárez</html>';
    const error = await fail(http.get('/'));
    expect(error).toMatchObject({ code: 'ERR_BAD_RESPONSE', message: 'the answer is not JSON' });
    expect(inspect(error)).not.toContain('Ana');
  });

  test('with a status that is not 2xx is an error that has it, unless validateStatus takes it', async () => {
    reply = { status: 404, body: 'gone', type: 'text/plain' };
    const error = await fail(http.get('/'));
    expect(error).toMatchObject({ code: 'ERR_BAD_REQUEST', status: 404, sent: true });
    expect(error.response).toMatchObject({ status: 404, data: 'gone' });
    reply.status = 503;
    expect(await fail(http.get('/'))).toMatchObject({ code: 'ERR_BAD_RESPONSE', status: 503 });
    expect((await http.get('/', { validateStatus: (status) => status === 503 })).status).toBe(503);
    expect((await http.get('/', { validateStatus: null })).data).toBe('gone');
  });
});

test('a client of bytes takes any status, and sends no header of axios, but its own and those of a request', async () => {
  reply = { status: 503, body: 'gone', type: 'text/plain' };
  const client = createByteClient({ base, timeout: 5_000, maxBytes: 1_000, tls: {} }, { 'X-A': '1' });
  const answer = await client.request({ url: '/people', headers: { 'x-a': '2' } });
  expect(answer).toMatchObject({ status: 503, data: Buffer.from('gone'), headers: { 'content-type': 'text/plain' } });
  expect(received[0]?.line).toBe('GET /his/people');
  const { 'accept-encoding': encodings, 'user-agent': agent, connection, host, ...own } = received[0]?.headers ?? {};
  expect({ own, agent }).toEqual({ own: { 'x-a': '2' }, agent: 'Puente' });
});

test('an error holds nothing of the request, and prints nothing of the answer', async () => {
  reply = { status: 500, body: '{"patient":"Ana Suárez"}', type: 'application/json' };
  const sent = { data: { dni: 30123456 }, headers: { Authorization: 'Bearer s3cr3t' }, params: { dni: 30123456 } };
  const aborted = AbortSignal.abort();
  const errors = await Promise.all([
    fail(http.request({ method: 'POST', url: '/people', ...sent })),
    fail(http.request({ method: 'POST', url: '/people', ...sent, signal: aborted })),
    fail(http.request({ method: 'POST', url: '/people', ...sent, maxContentLength: 1 })),
  ]);
  for (const error of errors) {
    const printed = inspect(error, { depth: 9, showHidden: false }) + JSON.stringify(error);
    expect(printed).not.toMatch(/Ana|30123456|s3cr3t/);
    expect(error.config ?? error.request).toBeUndefined();
  }
  expect(errors.map((error) => 'sent' in error && error.sent)).toEqual([true, false, true]);
  expect(errors[0]?.response?.data).toEqual({ patient: 'Ana Suárez' });
});

test('requests that hang, as many as the default bulkheads of three ports let run, keep no other from its answer', async () => {
  let hanging = 0;
  const slow = await serve((request, response) => {
    if (request.url === '/hang') hanging += 1;
    else response.end('"here"');
  });
  const client = createHttpClient({ base: slow, timeout: 5_000, maxBytes: 1_000, tls: {} });
  const left = new AbortController();
  const count = 3 * (32 + 32 + 8 + 8);
  const hung = Promise.allSettled(Array.from({ length: count }, () => client.get('/hang', { signal: left.signal })));
  expect((await client.get('/other', { signal: AbortSignal.timeout(4_000) })).data).toBe('here');
  await wait(() => hanging === count);
  expect(hanging).toBe(count);
  left.abort();
  await hung;
});
