import dns from 'node:dns';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Transport } from '../../../../adapters/fhir/rest/transport.ts';
import { createFixedCredentials } from '../../../../src/http-client/oauth.ts';
import type { PatientRegistration } from '../../../../src/ports/index.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { makeOutcome } from '../../../support/fhir-failures.ts';
import { ana, emptyBundle, json, setUpScript } from '../../../support/scripted-fhir.ts';

const person: PatientRegistration = {
  identifier: { type: 'DNI', value: '31465466' },
  birthDate: '1985-11-30',
  gender: 'Female',
};

const { ports, server, url } = await setUpScript({ timeout: 1_000, limits: { bytes: 65_536 } });
const read = () => ports.patients.get('ana', callNow());
const answerRead = (status: number, body: string | Buffer | object, headers: Record<string, string> = json) =>
  server.get('/fhir/Patient/ana').reply(status, body, headers);

/** A registration whose searches, by the document and by the birth date, find nobody, so that the create follows. */
function register(key?: string): Promise<unknown> {
  server.post('/fhir/Patient/_search').times(2).reply(200, emptyBundle, json);
  return ports.patients.register(person, callNow(key === undefined ? {} : { idempotencyKey: key }));
}
afterEach(() => {
  jest.restoreAllMocks();
});

const unreachable = { url: 'http://fhir.invalid/fhir' };

/** No connection to a host by its name comes about, for that reason; counts the tries. */
function preventConnections(code: string): () => number {
  const lookup = jest.spyOn(dns, 'lookup');
  lookup.mockImplementation(((_: string, __: object, done: (error: Error) => void) => {
    done(Object.assign(new Error(code), { code }));
  }) as typeof dns.lookup);
  return () => lookup.mock.calls.length;
}
const answerCreate = (status: number, body: object | string, headers: Record<string, string> = json) =>
  server.post('/fhir/Patient').reply(status, body, headers);

describe('an answer to a read', () => {
  test.each<[string, number, string | Buffer | object, Record<string, string>]>([
    ['is a login page', 200, '<html>Login</html>', { 'content-type': 'text/html' }],
    ['has no type', 200, JSON.stringify(ana), {}],
    ['is cut JSON', 200, JSON.stringify(ana).slice(0, 50), json],
    ['is empty', 200, '', json],
    ['is null', 200, 'null', json],
    ['is a list', 200, '[]', json],
    ['is text', 200, '"x"', json],
    ['is another type of resource', 200, { ...ana, resourceType: 'Practitioner' }, json],
    ['is another patient', 200, { ...ana, id: 'bruno' }, json],
    ['has an element of another type', 200, { ...ana, name: 'Ana' }, json],
    ['has an id that cannot be', 200, { ...ana, id: '../x' }, json],
    ['is an OperationOutcome with 200', 200, makeOutcome('exception'), json],
    ['has no content', 204, '', json],
    ['is a redirect', 302, '', { location: 'http://evil.invalid/' }],
    ['is not UTF-8 though it says so', 200, Buffer.from(JSON.stringify(ana), 'latin1'), json],
    [
      'has a charset that nobody knows',
      200,
      JSON.stringify(ana),
      { 'content-type': 'application/json; charset=x-ebcdic' },
    ],
    ['nests too deep', 200, `{"resourceType":"Patient","id":"ana","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, json],
    ['is packed wrongly', 200, 'no gzip', { ...json, 'content-encoding': 'gzip' }],
    ['says that we ask wrongly', 400, makeOutcome('invalid'), json],
    ['is a status that nobody knows', 299, ana, json],
  ])('that %s is a bad answer', async (_, status, body, headers) => {
    answerRead(status, body, headers);
    await expect(read()).rejects.toEqual(matchFailure('bad_answer'));
  });

  test.each<[string, string | Buffer, Record<string, string>]>([
    ['as it is sent', JSON.stringify({ ...ana, x: 'x'.repeat(70_000) }), json],
    ['unpacked', gzipSync(JSON.stringify({ ...ana, x: 'x'.repeat(500_000) })), { ...json, 'content-encoding': 'gzip' }],
  ])('with more bytes than the limit, %s, is asked for by its elements', async (_, body, headers) => {
    answerRead(200, body, headers);
    const isPart = ({ _elements }: Record<string, unknown>) =>
      /\bname\b/.test(String(_elements)) && !/photo/.test(String(_elements));
    server.get('/fhir/Patient/ana').query(isPart).reply(200, ana, json);
    expect((await read()).id).toBe('ana');
    answerRead(200, body, headers);
    server.get('/fhir/Patient/ana').query(isPart).reply(200, body, headers);
    await expect(read()).rejects.toEqual(matchFailure('bad_answer'));
  });

  test.each<[string, Buffer, string]>([
    ['UTF-8', Buffer.from(JSON.stringify(ana)), 'application/fhir+json; charset=UTF-8'],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${JSON.stringify(ana)}`), 'application/fhir+json'],
    ['ISO-8859-1', Buffer.from(JSON.stringify(ana), 'latin1'), 'application/json;charset=iso-8859-1'],
  ])('in %s keeps its letters', async (_, body, type) => {
    answerRead(200, body, { 'content-type': type });
    expect((await read()).lastName).toBe('Muñoz');
  });

  test.each([
    [401, 'unavailable'],
    [403, 'unavailable'],
    [500, 'unavailable'],
  ] as const)('with %i is %s at once', async (status, kind) => {
    answerRead(status, makeOutcome('login'));
    await expect(read()).rejects.toEqual(matchFailure(kind));
  });

  test.each([502, 503, 504])('with %i is asked for three times', async (status) => {
    server.get('/fhir/Patient/ana').times(3).reply(status, 'proxy');
    await expect(read()).rejects.toEqual(matchFailure('unavailable'));
  });

  test('is right when the server recovers', async () => {
    answerRead(503, 'proxy');
    server.get('/fhir/Patient/ana').reset();
    answerRead(200, ana);
    expect((await read()).id).toBe('ana');
  });

  test.each([
    ['2', 2],
    ['0', 1],
    ['1000000000', 300],
    ['tomorrow', 1],
    [new Date(Date.now() + 90_000).toUTCString(), 90],
  ])('with 429 and Retry-After %s passes a wait of about %i seconds on', async (header, seconds) => {
    answerRead(429, makeOutcome('throttled'), { ...json, 'retry-after': header });
    const error = await read().catch((reason: unknown) => reason);
    expect(error).toEqual(matchFailure('overloaded'));
    expect(Math.abs((error as { retryAfter: number }).retryAfter - seconds)).toBeLessThanOrEqual(5);
  });

  test('that does not come in time is a timeout', async () => {
    server.get('/fhir/Patient/ana').delay(3_000).reply(200, ana, json);
    await expect(read()).rejects.toEqual(matchFailure('timeout'));
  });

  test('that does not come before the deadline of the call is a timeout', async () => {
    const deadline = new AbortController();
    const passDeadline = () => {
      deadline.abort(new DOMException('the deadline has passed', 'TimeoutError'));
      return true;
    };
    server.get('/fhir/Patient/ana').query(passDeadline).delay(500).reply(200, ana, json);
    const work = ports.patients.get('ana', callNow({ signal: deadline.signal }));
    await expect(work).rejects.toEqual(matchFailure('timeout'));
  });

  test.each([
    ['ECONNREFUSED', 3],
    ['EAI_AGAIN', 3],
    ['ENOTFOUND', 1],
    ['CERT_HAS_EXPIRED', 1],
    ['EPROTO', 1],
  ])('that %s prevents is unavailable, asked for %i times', async (code, times) => {
    const tries = preventConnections(code);
    const { ports } = await connect(unreachable);
    await expect(ports.patients.get('ana', callNow())).rejects.toEqual(
      matchFailure('unavailable', { cause: { code } }),
    );
    expect(tries()).toBe(times);
  });
});

describe('a write', () => {
  test('whose connection is reset has an unknown outcome and is not sent again', async () => {
    server.post('/fhir/Patient').reset();
    await expect(register()).rejects.toEqual(matchFailure('outcome_unknown', { cause: { code: 'ECONNRESET' } }));
  });

  test('that cannot be sent was not done', async () => {
    preventConnections('ECONNREFUSED');
    const options = { timeout: 300, retries: 0, retryBudget: 0, maxBytes: 65_536, tls: {}, base: unreachable.url };
    const transport = new Transport(createFixedCredentials(), options);
    const work = transport.send({ method: 'POST', path: '/Patient', body: '{}', write: true }, callNow());
    await expect(work).rejects.toEqual(matchFailure('unavailable'));
  });

  test('whose answer is cut after its first byte is not taken for one without an answer in it', async () => {
    answerCreate(201, '{', { ...json, location: `${url}/Patient/ana/_history/1` });
    await expect(register()).rejects.toEqual(matchFailure('outcome_unknown', { cause: { code: 'not_json' } }));
  });

  test('that meets several of one identifier is a conflict', async () => {
    answerCreate(412, makeOutcome('multiple-matches'));
    server.post('/fhir/Patient/_search').times(2).reply(200, emptyBundle, json);
    await expect(register()).rejects.toEqual(matchFailure('conflict'));
  });
});

describe('a failure', () => {
  test('holds neither the token, nor the address, nor the patient', async () => {
    process.env.FHIR_TEST_TOKEN = 'very-secret-token';
    const auth = { kind: 'bearer', token: 'env:FHIR_TEST_TOKEN' };
    const { ports } = await connect({ url }, { auth, retries: 0 });
    server.post('/fhir/Patient/_search').reset();
    const error = await ports.patients.search({ identifier: '31465466' }, callNow()).catch((reason: unknown) => reason);
    const { inspect } = await import('node:util');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/very-secret|fhir\.invalid|31465466/);
    expect(error).toEqual(matchFailure('unavailable', { cause: { code: 'ECONNRESET' } }));
  });
});
