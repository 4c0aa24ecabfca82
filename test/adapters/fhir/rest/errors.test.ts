import dns from 'node:dns';
import { describe, expect, jest, test } from '@jest/globals';
import { Transport } from '../../../../adapters/fhir/rest/transport.ts';
import { createBearerCredentials } from '../../../../src/http-client/oauth.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { getProblem, makeOutcome } from '../../../support/fhir-failures.ts';
import { emptyBundle, json, setUpScript } from '../../../support/scripted-fhir.ts';

// What a server says went wrong, and what the caller is told: the table from FHIR outcomes to statuses.

const ana = {
  resourceType: 'Patient',
  id: 'ana',
  meta: { versionId: '3' },
  birthDate: '1985-11-30',
  gender: 'female',
  identifier: [{ system: 'http://www.renaper.gob.ar/dni', value: '31465466' }],
};
const somebody = { ...emptyBundle, entry: [{ resource: ana }] };
const person = {
  identifier: { type: 'DNI', value: '31465466' },
  birthDate: '1985-11-30',
  gender: 'Female',
} as const;

const { ports, server, url } = await setUpScript({ retries: 0, transactions: 'trust' });

describe('a read that the server answers with', () => {
  test.each([
    [404, 'not-found', '404 not_found'],
    [410, 'deleted', '404 not_found'],
    [400, 'invalid', '502 backend_invalid_response'],
    [401, 'login', '502 backend_unavailable'],
    [403, 'forbidden', '403 forbidden'],
    [406, 'not-supported', '502 backend_invalid_response'],
    [409, 'conflict', '502 backend_invalid_response'],
    [412, 'processing', '502 backend_invalid_response'],
    [413, 'too-long', '502 backend_invalid_response'],
    [422, 'processing', '502 backend_invalid_response'],
    [429, 'throttled', '503 overloaded'],
    [500, 'exception', '502 backend_unavailable'],
    [501, 'not-supported', '502 backend_unavailable'],
    [502, 'transient', '502 backend_unavailable'],
    [503, 'transient', '502 backend_unavailable'],
    [504, 'timeout', '502 backend_unavailable'],
  ])('%i %s is %s', async (status, code, told) => {
    server.get('/fhir/Patient/ana').reply(status, makeOutcome(code), json);
    expect(await getProblem(ports.patients.get('ana', callNow()), 'getPatient')).toBe(told);
  });

  test.each(['text/html; charset=utf-8', 'text/plain'])(
    '404 and a page of a proxy, %s, is no missing patient',
    async (type) => {
      server.get('/fhir/Patient/ana').reply(404, 'default backend - 404', { 'content-type': type });
      const told = await getProblem(ports.patients.get('ana', callNow()), 'getPatient');
      expect(told).toBe('502 backend_invalid_response');
    },
  );

  test('404 and nothing more is a missing patient', async () => {
    server.get('/fhir/Patient/ana').reply(404, '', { 'content-type': 'text/plain' });
    expect(await getProblem(ports.patients.get('ana', callNow()), 'getPatient')).toBe('404 not_found');
  });

  test('503 and a Retry-After is 503 with that wait', async () => {
    server.get('/fhir/Patient/ana').reply(503, makeOutcome('transient'), { ...json, 'retry-after': '7' });
    const error = await ports.patients.get('ana', callNow()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'overloaded', retryAfter: 7 });
  });

  test('400 in the words of the network behind it is a server that is away', async () => {
    const issue = [{ severity: 'error', code: 'invalid', details: { text: 'connect ECONNREFUSED 127.0.0.1:5432' } }];
    server.get('/fhir/Patient/ana').reply(400, { resourceType: 'OperationOutcome', issue }, json);
    expect(await getProblem(ports.patients.get('ana', callNow()), 'getPatient')).toBe('502 backend_unavailable');
  });

  test.each([
    ['"requests";r=0;t=17', 17],
    ['"requests";r=59999;t=60, "load";r=0;t=12, "day";r=0; t=9', 12],
    ['"requests";r=5;t=3, "load";r=10;t=40', 40],
    ['"requests";r=0', 1],
  ])('429 and a RateLimit of %s without a Retry-After is 503 with a wait of %d s', async (ratelimit, retryAfter) => {
    server.get('/fhir/Patient/ana').reply(429, makeOutcome('throttled'), { ...json, ratelimit });
    const error = await ports.patients.get('ana', callNow()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'overloaded', retryAfter });
  });

  test('503 with a RateLimit has failed: the quota says nothing of that', async () => {
    server.get('/fhir/Patient/ana').reply(503, makeOutcome('transient'), { ...json, ratelimit: '"requests";r=9;t=60' });
    expect(await getProblem(ports.patients.get('ana', callNow()), 'getPatient')).toBe('502 backend_unavailable');
  });
});

describe('a request', () => {
  test('carries the id of the caller’s request, for the log of the server', async () => {
    server.get('/fhir/Patient/ana').matchHeader('x-request-id', 'r-1').reply(200, ana, json);
    expect((await ports.patients.get('ana', callNow({ requestId: 'r-1' }))).id).toBe('ana');
  });

  test('goes to the server of the settings, whatever stands in its path', async () => {
    const options = { timeout: 500, retries: 0, retryBudget: 0, maxBytes: 65_536, tls: {}, base: url };
    const transport = new Transport(createBearerCredentials('secret'), options);
    const lookup = jest.spyOn(dns, 'lookup');
    server.get('/fhir/https://evil.invalid/x').reply(404, '', json);
    await transport.send({ method: 'GET', path: 'https://evil.invalid/x', write: false }, callNow());
    expect(lookup).not.toHaveBeenCalled();
    lookup.mockRestore();
  });
});

describe('an update that the server answers with', () => {
  /** Searched for by id, where a read may be old. */
  const answerSearch = (times: number, patient: object) => {
    const found = { ...emptyBundle, entry: [{ resource: patient }] };
    const byId = ({ _id }: Readonly<Record<string, string>>) => _id === 'ana';
    server.get('/fhir/Patient').query(byId).times(times).reply(200, found, json);
  };
  const update = (times: number, status: number, outcome: object) => {
    server.get('/fhir/Patient/ana').times(Math.min(times, 2)).reply(200, ana, json);
    if (times > 2) answerSearch(times - 2, ana);
    server.put('/fhir/Patient/ana').matchHeader('if-match', 'W/"3"').times(times).reply(status, outcome, json);
    return getProblem(ports.patients.update('ana', { phone: '1' }, callNow()), 'updatePatient');
  };

  test.each(['structure', 'required', 'value', 'invariant', 'processing', 'business-rule', 'code-invalid'])(
    '400 or 422 %s that names an element is 422: it refuses the data',
    async (code) => {
      expect(await update(1, 400, makeOutcome(code, 'Patient.telecom[0]'))).toBe('422 validation');
      expect(await update(1, 422, makeOutcome(code, 'Patient.telecom[0]'))).toBe('422 validation');
    },
  );

  test('422 that names an element in the words of DSTU2 is 422 too', async () => {
    const { resourceType, issue } = makeOutcome('invalid');
    const located = { resourceType, issue: issue.map((each) => ({ ...each, location: ['/f:Patient/f:telecom'] })) };
    expect(await update(1, 422, located)).toBe('422 validation');
  });

  test.each([
    [400, makeOutcome('invalid')],
    [422, makeOutcome('processing')],
    [400, { ...makeOutcome('invalid', 'Patient.telecom'), resourceType: 'Basic' }],
    [400, { resourceType: 'OperationOutcome', issue: [{ severity: 'warning', code: 'invalid', expression: ['x'] }] }],
  ])('%i whose errors name no element proves nothing: Medplum says so when a COMMIT fails', async (status, outcome) => {
    expect(await update(1, status, outcome)).toBe('504 backend_outcome_unknown');
  });

  test.each([
    [400, 'not-supported', '504 backend_outcome_unknown'],
    [401, 'login', '502 backend_unavailable'],
    [403, 'forbidden', '403 forbidden'],
    [404, 'not-found', '404 not_found'],
    [405, 'not-supported', '502 backend_invalid_response'],
    [408, 'timeout', '504 backend_outcome_unknown'],
    [410, 'deleted', '404 not_found'],
    [413, 'too-long', '413 payload_too_large'],
    [415, 'not-supported', '502 backend_invalid_response'],
    [423, 'lock-error', '503 overloaded'],
    [429, 'throttled', '503 overloaded'],
    [500, 'exception', '504 backend_outcome_unknown'],
    [501, 'not-supported', '504 backend_outcome_unknown'],
    [503, 'transient', '504 backend_outcome_unknown'],
    [504, 'timeout', '504 backend_outcome_unknown'],
  ])('%i %s is %s', async (status, code, told) => {
    expect(await update(1, status, makeOutcome(code))).toBe(told);
  });

  test.each([
    [400, 'not-supported', '422 validation'],
    [400, 'processing', '422 validation'],
    [422, 'processing', '422 validation'],
    [422, 'invalid', '422 validation'],
    [400, 'invalid', '504 backend_outcome_unknown'],
    [400, 'transient', '504 backend_outcome_unknown'],
  ])('%i %s that names no element, and is then not there, is %s', async (status, code, told) => {
    answerSearch(1, ana);
    expect(await update(1, status, makeOutcome(code))).toBe(told);
  });

  test('400 with words of the network proves nothing, also when it is then not there', async () => {
    answerSearch(1, ana);
    const diagnostics = 'connect ECONNREFUSED 10.0.0.7:5432';
    const issue = [{ severity: 'error', code: 'processing', diagnostics }];
    expect(await update(1, 400, { resourceType: 'OperationOutcome', issue })).toBe('504 backend_outcome_unknown');
  });

  test.each([409, 412])('%i is read and written afresh ten times, then 409', async (status) => {
    expect(await update(11, status, makeOutcome('conflict'))).toBe('409 conflict');
  });

  test.each([409, 412])('%i once is done at the second attempt, on the version that is there then', async (status) => {
    server.get('/fhir/Patient/ana').reply(200, ana, json);
    server.put('/fhir/Patient/ana').reply(status, makeOutcome('conflict'), json);
    const newer = { ...ana, meta: { versionId: '4' }, telecom: [{ system: 'email', value: 'a@example.org' }] };
    server.get('/fhir/Patient/ana').reply(200, newer, json);
    server
      .put('/fhir/Patient/ana', ({ telecom }) => JSON.stringify(telecom).includes('a@example.org'))
      .matchHeader('if-match', 'W/"4"')
      .reply(200, newer, json);
    await ports.patients.update('ana', { phone: '1' }, callNow());
  });
});

describe('a registration that loses the race', () => {
  const search = (body: object) => server.post('/fhir/Patient/_search').reply(200, body, json);
  /** By the document, and then by the birth date. */
  const findNobody = () => server.post('/fhir/Patient/_search').times(2).reply(200, emptyBundle, json);

  test.each([409, 412])('to another one of the same person, by %i, is that person', async (status) => {
    findNobody();
    server.post('/fhir/Patient').reply(status, makeOutcome('conflict'), json);
    search(somebody);
    expect((await ports.patients.register(person, callNow())).id).toBe('ana');
  });

  test('to somebody else with this number is a 409', async () => {
    findNobody();
    server.post('/fhir/Patient').reply(200, ana, json);
    const other = { ...person, birthDate: '1990-01-01' };
    expect(await getProblem(ports.patients.register(other, callNow()), 'registerPatient')).toBe(
      '409 identity_conflict',
    );
  });

  test('asks the server to look by the document alone, which never changes', async () => {
    findNobody();
    server
      .post('/fhir/Patient')
      .matchHeader('if-none-exist', 'identifier=http%3A%2F%2Fwww.renaper.gob.ar%2Fdni%7C31465466')
      .reply(201, ana, json);
    await ports.patients.register(person, callNow());
  });

  test('is read back from our own server, whatever host its Location names', async () => {
    findNobody();
    const location = 'https://evil.invalid/fhir/Patient/ana/_history/1';
    server.post('/fhir/Patient').reply(201, '', { location });
    server.get('/fhir/Patient/ana').reply(200, ana, json);
    expect((await ports.patients.register(person, callNow())).id).toBe('ana');
  });
});
