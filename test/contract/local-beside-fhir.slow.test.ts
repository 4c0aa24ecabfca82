import { afterAll, describe, expect, test } from '@jest/globals';
import { cases, createHttpSubject, describeContract, type Subject, sandbox } from '../../src/contract/index.ts';
import { FaultServer } from '../fault-server/server.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import { catalogue, concernsLocal, createSqliteSettings, localPorts, runSql } from '../support/local-adapter.ts';
import { offeredMethods, runsOver } from '../support/offered-methods.ts';

const { server } = await startHospital();
const folder = new ConfigFolder();
const settings = createSqliteSettings();
const config = {
  adapter: { name: 'fhir', settings: {} },
  adapters: { local: { settings: { ...catalogue, ...settings } } },
  ports: localPorts,
};
const line = await FaultServer.start(server.url);
const gateway = await startFhirGateway(
  { ...server, url: line.url },
  {},
  { file: folder.write('fhir-and-local.yaml', JSON.stringify(config)) },
);

afterAll(async () => {
  await gateway.stop();
  await line.stop();
  folder.remove();
});

// The people and services of the FHIR server, and the ticket types and reasons of the local adapter.
const { ticketType, typedTicketType, inactiveTicketType, changeReason } = sandbox;
const fixtures = { ...toFixtures(server.ids), ticketType, typedTicketType, inactiveTicketType, changeReason };
const { complete, bare } = fixtures.patients;
const filed = { observations: 'Por favor', fields: [{ id: ticketType.checked.id, value: ticketType.checked.fits }] };
const relation = { related_patient_id: bare, relationship_code: 5, relationship_description: 'hermano', active: true };

const fileTicket = (patientId: string, headers = {}) =>
  gateway.ask('POST', `/patients/${patientId}/ticket_type/${ticketType.id}/ticket`, filed, headers);
const countRequests = () => server.requests.all.filter(({ method }) => method !== 'GET').length;

const given = [
  await fileTicket(complete),
  await gateway.ask('POST', `/patients/${complete}/practitioner/change_request`, { reason_id: changeReason }),
  await gateway.ask('POST', `/patients/${complete}/family_group`, relation),
];
await runSql(settings, `UPDATE puente_local_tickets SET status = 'completed' WHERE patient_id = '${complete}'`);

const offered = [...offeredMethods.fhir, ...offeredMethods.local];

const start = async (): Promise<Subject> =>
  createHttpSubject({ baseUrl: gateway.url, token: gateway.token, supports: offered, fixtures });

await describeContract(test, start, {
  name: 'local beside FHIR',
  cases: cases.filter(concernsLocal).filter(runsOver(offered)),
  complete: true,
});

describe('a ticket in the local adapter of a patient in FHIR', () => {
  test('is filed and listed, once under a key, and the FHIR server is not written to', async () => {
    expect(given.map(({ status }) => status)).toEqual([201, 200, 201]);
    const list = async () => JSON.parse((await gateway.ask('GET', `/patients/${bare}/ticket/`)).text);
    const before = await list();
    const writes = countRequests();
    const key = { 'idempotency-key': 'ticket-beside-fhir' };
    const first = await fileTicket(bare, key);
    expect(first.status).toBe(201);
    expect((await fileTicket(bare, key)).text).toBe(first.text);
    expect(await list()).toHaveLength(before.length + 1);
    expect(countRequests()).toBe(writes);
  });

  test('cannot be filed or listed for somebody whom the FHIR server does not know', async () => {
    expect((await fileTicket('nobody')).status).toBe(404);
    expect((await gateway.ask('GET', '/patients/nobody/ticket/')).status).toBe(404);
  });

  test('is not shown as missing while the FHIR server, which knows the patient, is down', async () => {
    expect((await gateway.ask('GET', `/patients/${complete}/ticket/`)).status).toBe(200);
    await line.down();
    expect((await gateway.ask('GET', `/patients/${complete}/ticket/`)).status).toBe(502);
  });
});
