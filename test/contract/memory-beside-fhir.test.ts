import { expect, test } from '@jest/globals';
import { bookA, findSimultaneousSlots, takePatient } from '../../src/contract/arrange.ts';
import { createHttpSubject, type Fixtures, sandbox } from '../../src/contract/index.ts';
import { listAppointmentsA, listSlotsA, toIds } from '../../src/contract/queries.ts';
import { capabilities } from '../../src/ports/index.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const { server } = await startHospital();

test.each<[string, () => Promise<RunningGateway>, Fixtures]>([
  ['memory', () => startGateway(), sandbox],
  ['fhir', () => startFhirGateway(server), toFixtures(server.ids)],
])('on %s a patient may hold two appointments at one time, with two practitioners', async (_name, start, fixtures) => {
  const gateway = await start();
  const { url: baseUrl, token } = gateway;
  const subject = createHttpSubject({ baseUrl, token, supports: capabilities, fixtures });
  const patient = await takePatient(subject);
  const [first, second] = await findSimultaneousSlots(subject);
  const booked: string[] = [];
  for (const { hcsId, practitionerId, appointmentDate, appointmentStart } of [first, second]) {
    const slots = await listSlotsA(subject, { health_care_service_id: hcsId, practitioner_id: practitionerId });
    const slot = slots.find(({ date }) => date.startsWith(`${appointmentDate}T${appointmentStart}`));
    expect(slot).toBeDefined();
    booked.push(await bookA(subject, patient, slot!));
  }
  const held = await listAppointmentsA(subject, patient);
  expect(toIds(held).toSorted()).toEqual(booked.toSorted());
  expect(new Set(held.map(({ date }) => date)).size).toBe(1);
  await gateway.stop();
});
