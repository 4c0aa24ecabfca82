import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { startFhirServer } from '../fhir-server/server.ts';
import { type AuditedGateway, startAuditedGateway } from '../support/audited-gateway.ts';

const fhir = await startFhirServer();
afterAll(() => fhir.stop());

let gateway: AuditedGateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
};

describe('what audit.forward names', () => {
  test('gets what the gateway records', async () => {
    gateway = await startAuditedGateway({ environment: { PUENTE_AUDIT_FORWARD_FHIR: `${fhir.url}/` } });
    await gateway.ask('GET', '/patients/ana', undefined, { 'x-request-id': 'forwarded-1' });
    // The begin of the process, and the request.
    await until(async () => (await fhir.search('AuditEvent')).length === 2);
    expect(JSON.stringify(await fhir.search('AuditEvent'))).toContain('forwarded-1');
  });

  test('limits the gateway while it does not take records, visibly', async () => {
    gateway = await startAuditedGateway({ environment: { PUENTE_AUDIT_FORWARD_SYSLOG: '127.0.0.1:1' } });
    await gateway.ask('GET', '/patients/ana');
    const { impairments } = gateway;
    await until(async () => impairments().length > 0);
    expect(impairments()).toMatchObject([
      {
        code: 'audit_not_forwarded',
        detail: 'The server of audit.forward.syslog does not accept records: ECONNREFUSED. Check this server.',
      },
    ]);
  });

  test.each([
    [
      'PUENTE_AUDIT_FORWARD_AUTH',
      '{ kind: bearer, token: env:NOT_THERE }',
      /PUENTE_AUDIT_FORWARD_AUTH\.token: env:NOT_THERE is not set/,
    ],
    ['PUENTE_AUDIT_FORWARD_CA', '/not/there.pem', /PUENTE_AUDIT_FORWARD_CA: /],
    ['PUENTE_AUDIT_FORWARD_SYSLOG', 'tls://host', /PUENTE_AUDIT_FORWARD_SYSLOG: must be a host, with a port/],
  ])('is refused at the start where it cannot be used: %s', async (name, value, problem) => {
    const environment = { PUENTE_AUDIT_FORWARD_FHIR: fhir.url, [name]: value };
    const error: unknown = await startAuditedGateway({ environment }).catch((reason: unknown) => reason);
    expect(String(Reflect.get(Object(error), 'problems') ?? error)).toMatch(problem);
  });
});
