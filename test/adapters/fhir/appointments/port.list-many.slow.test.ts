import { afterAll, expect, test } from '@jest/globals';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';

const { server, id } = await startHospital();
const gateway = await startFhirGateway(server);
afterAll(() => gateway.stop());

test('somebody with more appointments than other lists may have has all of them, whatever the pages of the server', async () => {
  const { meta: _, ...model } = await server.read('Appointment', id('Appointment/turno-ana-1'));
  const known = (await server.search('Appointment', `patient=Patient/${id('Patient/ana')}`)).length;
  for (let week = 0; week < 1_100; week++) {
    const start = new Date(Date.parse('2019-01-07T12:00:00Z') + week * 2 * 86_400_000).toISOString();
    server.load({ ...model, id: `dialysis-${week}`, status: 'fulfilled', start, end: start });
  }
  server.quirks.pageSize = 50;
  const { status, text } = await gateway.ask('GET', `/patients/${id('Patient/ana')}/appointments`);
  expect(status).toBe(200);
  const { appointments } = JSON.parse(text) as { appointments: { id: string }[] };
  expect(new Set(appointments.map((each) => each.id)).size).toBe(known + 1_100);
});
