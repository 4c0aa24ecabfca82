import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';
import { listOffers, type Offer } from '../../../support/fhir-offers.ts';
import type { RunningGateway } from '../../../support/gateway.ts';

// A schedule that two practitioners share: whoever of them is asked for has its times.

const { server, id } = await startHospital();
const service = id('HealthcareService/consulta-clinica');
const [paz, vidal] = [id('Practitioner/paz'), id('Practitioner/vidal')];
let gateway: RunningGateway;

beforeAll(async () => {
  const schedule = await server.read('Schedule', id('Schedule/paz-central'));
  await server.update({ ...schedule, actor: [...schedule.actor, { reference: `Practitioner/${vidal}` }] });
  gateway = await startFhirGateway(server);
});
afterAll(() => gateway.stop());

const search = (practitioner?: string) => listOffers(gateway, id, practitioner);
const listDates = (offers: readonly Offer[]) => offers.map(({ date }) => date);

test('both are offered, each once, and one of them where only one is asked for', async () => {
  const [ofPaz, ofVidal, all] = [await search(paz), await search(vidal), await search()];
  const slots = await server.search('Slot', `schedule=Schedule/${id('Schedule/paz-central')}&status=free`);
  const toCome = slots.filter(({ start }) => Date.parse(start) > Date.now());
  expect(toCome.length).toBeGreaterThan(0);
  expect(ofVidal).toHaveLength(toCome.length);
  expect(new Set(ofVidal.map(({ practitioner_id }) => practitioner_id))).toEqual(new Set([vidal]));
  for (const own of [ofPaz, ofVidal]) {
    expect(all.filter(({ practitioner_id }) => practitioner_id === own[0]?.practitioner_id)).toEqual(own);
  }
});

test('the second is booked, and then neither is free', async () => {
  const last = (await search(paz)).at(-1);
  const before = await search(vidal);
  const booking = { ...last, practitioner_id: vidal };
  const book = () => gateway.ask('POST', `/patients/${id('Patient/bruno')}/appointments`, booking);
  const booked = await book();
  expect(booked.status).toBe(201);
  const appointment = await server.read('Appointment', String(booked.headers.location).split('/').at(-1) ?? '');
  const actors = appointment.participant.map(({ actor }) => actor?.reference);
  expect(actors).toContain(`Practitioner/${vidal}`);
  expect(actors).not.toContain(`Practitioner/${paz}`);
  expect(listDates(await search(paz))).not.toContain(last?.date);
  const countAt = (offers: readonly Offer[]) => offers.filter(({ date }) => date === last?.date).length;
  expect(countAt(await search(vidal))).toBe(countAt(before) - 1);
});

test('Group B books the second by the id of the offer', async () => {
  const offers = await gateway.ask('POST', '/v1/available-slots?limit=100', { hcsId: service, practitionerId: vidal });
  const { data } = JSON.parse(offers.text) as { data: Record<string, string>[] };
  const slots = await server.search('Slot', `schedule=Schedule/${id('Schedule/paz-central')}&status=free`);
  const offer = data.find(({ appointmentId }) => slots.some((slot) => slot.id === appointmentId));
  const body = {
    patientId: id('Patient/bruno'),
    appointmentId: offer?.appointmentId,
    practitionersIds: [vidal],
    hcsId: service,
    appointmentDate: offer?.appointmentDate,
    appointmentStart: offer?.appointmentStart,
  };
  expect((await gateway.ask('POST', '/v1/appointments', body)).status).toBe(201);
  expect((await server.read('Slot', offer?.appointmentId ?? '')).status).toBe('busy');
});
