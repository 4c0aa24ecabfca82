import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { generateKeyPair } from 'jose';
import type { Impairment } from '../../../src/ports/index.ts';
import type { Auth, Fault } from '../../fhir-server/quirks.ts';
import type { LoggedRequest } from '../../fhir-server/request-log.ts';
import { startHospital } from '../../hospital-in-fhir/start.ts';
import { takeClocks } from '../../support/clock.ts';
import { connect } from '../../support/fhir-adapter.ts';
import { callNow } from '../../support/fhir-calls.ts';
import { wait } from '../../support/guarded-gateway.ts';
import { createPrivateKey } from '../../support/private-key.ts';

const { server, id } = await startHospital();
process.env.FHIR_TEST_SECRET = 's3cret';
process.env.FHIR_TEST_KEY = await createPrivateKey('ES384');
const { publicKey } = await generateKeyPair('ES384');

const oauth: Auth = { kind: 'oauth', clientId: 'puente', clientSecret: 's3cret', expiresIn: 300 };
const withSecret = { kind: 'oauth2-secret', clientId: 'puente', clientSecret: 'env:FHIR_TEST_SECRET' };
const withKey = { kind: 'oauth2-key', clientId: 'puente', privateKey: 'env:FHIR_TEST_KEY', keyId: 'k1', scope: 'a' };

beforeEach(() => {
  server.reset({ auth: oauth });
});

afterEach(() => {
  jest.restoreAllMocks();
});

const { host } = new URL(server.tokenUrl);
const isLogin = ({ target }: LoggedRequest) => target === '/oauth2/token';
const spoil = (answer: Fault['answer']) => (request: LoggedRequest) =>
  isLogin(request) ? { commits: false, answer } : undefined;
const reply = (status: number, body: string) => () => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
});

/** What one look at the server reports, and what a request fails with. */
async function look(auth: object) {
  const { ports, readiness } = await connect(server, { auth: { tokenUrl: server.tokenUrl, ...auth } });
  const failure: unknown = await ports.patients.get(id('Patient/ana'), callNow()).catch((error: unknown) => error);
  const { impairments } = await readiness.report(new AbortController().signal);
  return { failure, impairments };
}

const toLoginFailure = (code: string, cause: string) => ({
  failure: expect.objectContaining({ kind: 'unavailable', code: 'backend_auth', cause: { code } }),
  impairments: [{ code, cause, host, detail: expect.stringContaining(`${host} `) }],
});

describe('a login that fails', () => {
  test.each<[string, string, object, Auth | Fault['answer']]>([
    ['login_wrong_client', 'invalid_client', withSecret, { ...oauth, clientSecret: 'another' }],
    ['login_wrong_key', 'invalid_client', withKey, { kind: 'oauth', clientId: 'puente', publicKey, expiresIn: 300 }],
    ['login_wrong_scope', 'invalid_scope', { ...withSecret, scope: 'b' }, { ...oauth, scopes: ['a'] }],
    [
      'login_wrong_clock',
      'invalid_client',
      withKey,
      reply(400, '{"error":"invalid_client","error_description":"Token is not active"}'),
    ],
    ['login_not_allowed', 'unauthorized_client', withSecret, reply(400, '{"error":"unauthorized_client"}')],
    ['login_bad_answer', 'HTTP_404', withSecret, reply(404, '{"error":"Realm does not exist"}')],
    ['login_bad_answer', 'bad_token_answer', withSecret, reply(200, '{"token":"x"}')],
    ['login_unreachable', 'HTTP_503', withSecret, reply(503, '')],
    ['login_unreachable', 'ECONNRESET', withSecret, 'reset'],
  ])('is %s (%s) at /readyz and in the log', async (code, cause, settings, given) => {
    if (typeof given === 'object') server.quirks.auth = given;
    else server.quirks.fault = spoil(given);
    expect(await look(settings)).toEqual(toLoginFailure(code, cause));
  });

  test.each([
    ['login_refused', 'a'.repeat(40), 'a'.repeat(40)],
    ['login_bad_answer', 'HTTP_400', 'a'.repeat(41)],
    ['login_refused', 'of_six_words_and_no_more', 'of_six_words_and_no_more'],
    ['login_bad_answer', 'HTTP_400', 'of_six_words_and_not_one_more'],
    ['login_bad_answer', 'HTTP_400', 'Denied'],
  ])('is %s (%s) when the server calls it %s, which is repeated if it may be a code', async (code, cause, error) => {
    server.quirks.fault = spoil(reply(400, JSON.stringify({ error })));
    expect(await look(withSecret)).toEqual(toLoginFailure(code, cause));
  });

  test('is another thing than a refusal by the FHIR server', async () => {
    server.quirks.fault = (request) =>
      isLogin(request) || request.path === 'metadata'
        ? undefined
        : { commits: false, answer: (answer) => ({ ...answer, status: 401 }) };
    const { failure, impairments } = await look(withSecret);
    expect(failure).toMatchObject({ code: 'backend_auth', cause: { code: 'HTTP_401' } });
    expect(impairments).toMatchObject([{ code: 'backend_auth', cause: 'HTTP_401' }]);
  });

  test('is told while the token that is there is still used, and no more when it succeeds', async () => {
    const { ports, readiness } = await connect(server, { auth: { ...withSecret, tokenUrl: server.tokenUrl } });
    const read = () => ports.patients.get(id('Patient/ana'), callNow());
    const report = async () => (await readiness.report(new AbortController().signal)).impairments.map(toCode);
    const move = takeClocks();
    await read();
    expect(await report()).toEqual([]);
    move(200_000);
    server.quirks.fault = spoil(reply(503, ''));
    await read();
    await read();
    expect(await report()).toEqual(['login_unreachable']);
    server.quirks.fault = () => undefined;
    move(20_000);
    await read();
    await wait(() => server.tokens.issued === 2);
    await read();
    expect(await report()).toEqual([]);
  });
});

const toCode = ({ code }: Impairment): string => code;
