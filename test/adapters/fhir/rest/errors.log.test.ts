import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Answer, toJsonAnswer } from '../../../fhir-server/response.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';

const { server, id } = await startHospital();
const gateway = await startFhirGateway(server);
const ana = id('Patient/ana');

beforeEach(() => server.reset());

afterAll(() => gateway.stop());

/** What the log says of one request. */
async function getLogLine(path = `/patients/${ana}`): Promise<Record<string, unknown>> {
  const before = gateway.lines.length;
  await gateway.ask('GET', path);
  const lines = gateway.lines.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.find(({ event }) => event === 'request') ?? {};
}

describe('the log line of a request that fails', () => {
  test('says that the server refused our credentials', async () => {
    server.quirks.auth = { kind: 'bearer', token: 'another' };
    expect(await getLogLine()).toMatchObject({ status: 502, code: 'backend_unavailable', cause: 'HTTP_401' });
  });

  test('says what is wrong in a resource, and of whom it does not', async () => {
    server.load({ resourceType: 'Patient', id: ana, birthDate: '30/11/1985' });
    const line = await getLogLine();
    const cause = 'unexpected_resource';
    expect(line).toMatchObject({ code: 'backend_invalid_response', cause, at: 'Patient/birthDate' });
    expect(JSON.stringify({ ...line, requestId: '', time: '' })).not.toContain(ana);
  });

  test('says which parameter of which search the server refuses, and repeats no value', async () => {
    const diagnostics = `Unknown search parameter "beneficiary" for resource type "Coverage": Patient/${ana}`;
    const issue = [{ severity: 'error', code: 'not-supported', diagnostics }];
    const answer = (given: Answer) => ({ ...given, ...toJsonAnswer(400, { resourceType: 'OperationOutcome', issue }) });
    server.quirks.fault = ({ path }) => (path === 'Coverage' ? { commits: false, answer } : undefined);
    const line = await getLogLine(`/patients/${ana}/health_insurances`);
    expect(line).toMatchObject({
      ...{ status: 502, cause: 'HTTP_400', at: 'Coverage?beneficiary' },
      said: 'not-supported: Unknown search parameter beneficiary for resource type Coverage …',
    });
  });

  test('has no cause beside a code that says it all', async () => {
    const line = await getLogLine(`/patients/${id('Patient/bruno')}/practitioner`);
    expect(line).toMatchObject({ status: 404, code: 'no_main_practitioner' });
    expect(line).not.toHaveProperty('cause');
  });
});
