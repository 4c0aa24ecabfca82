import { afterAll, beforeEach } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { ownCodes, ownIds } from '../hospital-in-fhir/terms.ts';
import { connect, type FhirPorts } from './fhir-adapter.ts';
import { ScriptedServer } from './scripted-server.ts';

/** The patient who asks. */
export const ana = { resourceType: 'Patient' as const, id: 'ana', birthDate: '1985-11-30' };
const referTo = (patient: string) => ({ reference: `Patient/${patient}` });
const ticketCode = { coding: [{ system: ownCodes('task-kind'), code: 'ticket' }] };

/** A server that may take no notice of criteria, and ports of an adapter that has read nothing yet, before each test. */
export async function setUpForeignServer(): Promise<{ readonly server: ScriptedServer; readonly ports: FhirPorts }> {
  const server = await ScriptedServer.start();
  const connectAnew = () => connect({ url: `${server.url}/fhir` }, { transactions: 'trust', retries: 0 });
  const { ports } = await connectAnew();
  beforeEach(async () => {
    server.forget();
    Object.assign(ports, (await connectAnew()).ports);
  });
  afterAll(() => server.stop());
  return { server, ports };
}

/** Whatever is searched for, these are found, together with the patient who asks. */
export function answerSearches(server: ScriptedServer, ...found: Resource[]): void {
  const bundle = (type: string) => {
    const matches = found.filter(({ resourceType }) => resourceType === type);
    const entry = matches.map((resource) => ({ resource, search: { mode: 'match' } }));
    return { ...none, total: entry.length, entry: [...entry, { resource: ana, search: { mode: 'include' } }] };
  };
  const headers = { 'content-type': 'application/fhir+json' };
  const none = { resourceType: 'Bundle', type: 'searchset' };
  const always = Number.POSITIVE_INFINITY;
  for (const type of new Set(found.map(({ resourceType }) => resourceType))) {
    server.get(`/fhir/${type}`).query(true).times(always).reply(200, bundle(type), headers);
  }
  const patients = { ...none, entry: [{ resource: ana, search: { mode: 'match' } }] };
  server.get('/fhir/Patient').query(true).times(always).reply(200, patients, headers);
  server.get(/./).query(true).times(always).reply(200, none, headers);
}

export const makeAppointment = (patients: readonly string[], rest: object = {}) => ({
  resourceType: 'Appointment' as const,
  id: 'a1',
  status: 'booked' as const,
  start: '2026-11-01T13:00:00Z',
  participant: patients.map((each) => ({ actor: referTo(each), status: 'accepted' as const })),
  ...rest,
});
export const makeCoverage = (patient: string): Resource => ({
  resourceType: 'Coverage',
  id: 'c1',
  status: 'active',
  beneficiary: referTo(patient),
  payor: [{ display: 'OSDE' }],
  subscriberId: '77',
});
export const makeTask = (patient: string, code: object = ticketCode): Resource => ({
  resourceType: 'Task',
  id: 't1',
  status: 'requested',
  intent: 'order',
  code,
  for: referTo(patient),
  authoredOn: '2026-11-01T13:00:00Z',
});
export const makeRelative = (patient: string): Resource => ({
  resourceType: 'RelatedPerson',
  id: 'r1',
  patient: referTo(patient),
  identifier: [{ system: ownIds('related-patient'), value: 'camila' }],
});
