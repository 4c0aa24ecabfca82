import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';
import { listOffers } from '../../../support/fhir-offers.ts';
import { isChangeOf, isTransaction } from '../../../support/sent-writes.ts';

// A server that died between a commit and its cache: reads by id, and what it includes, are as before it, searches are right.

const { server, id } = await startHospital();
const gateway = await startFhirGateway(server, { PUENTE_ADAPTER_SETTINGS_TRANSACTIONS: 'trust' });
const { ask } = gateway;
const ana = `/patients/${id('Patient/ana')}`;

beforeEach(() => server.reset());
afterAll(() => gateway.stop());

/** The next write of this kind is committed, and nobody is told: the server dies, and is back at once. */
function crashAt(isSent: typeof isTransaction): void {
  server.quirks.fault = (request) => {
    if (!isSent(request)) return undefined;
    server.quirks.fault = () => undefined;
    return { commits: true, answer: 'reset', crashes: true };
  };
}

describe('after a crash of the server', () => {
  const readPhone = async () => JSON.parse((await ask('GET', ana)).text).phone;

  test('a change of a patient is known to be done, and others follow it, though reads show what was before', async () => {
    const before = await readPhone();
    crashAt(isChangeOf(`Patient/${id('Patient/ana')}`));
    expect((await ask('PUT', ana, { phone: '+54 11 5555-0001' })).status).toBe(200);
    expect(await readPhone()).toBe(before);
    expect((await ask('PUT', ana, { email: 'ana@example.org' })).status).toBe(200);
    expect(JSON.parse((await ask('GET', ana)).text)).toMatchObject({
      phone: '+54 11 5555-0001',
      email: 'ana@example.org',
    });
  });

  test('so is a change of a coverage', async () => {
    const path = `/v1/coverages/${id('Coverage/ana-osde')}`;
    const edit = async (credentialNumber: string) => (await ask('PUT', path, { credentialNumber })).status;
    crashAt(isChangeOf(`Coverage/${id('Coverage/ana-osde')}`));
    expect(await edit('7001')).toBe(200);
    expect(await edit('7002')).toBe(200);
    expect((await server.read('Coverage', id('Coverage/ana-osde'))).subscriberId).toBe('7002');
  });

  test('an appointment is booked, and frees its slot when it is canceled', async () => {
    const offer = (await listOffers(gateway, id)).at(-1);
    crashAt(isTransaction);
    const booked = await ask('POST', `${ana}/appointments`, offer);
    expect(booked.status).toBe(201);
    const [, appointment = ''] = /appointments\/(.+)$/.exec(String(booked.headers.location)) ?? [];
    const [slot] = (await server.read('Appointment', appointment)).slot ?? [];
    const readSlot = () => server.read('Slot', slot?.reference?.replace('Slot/', '') ?? '');
    expect((await readSlot()).status).toBe('busy');
    expect((await ask('PUT', `${ana}/appointments/${appointment}`, { status: 'canceled' })).status).toBe(200);
    expect((await readSlot()).status).toBe('free');
  });
});
