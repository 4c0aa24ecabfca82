import { describe, expect, test } from '@jest/globals';
import { toModality } from '../../../../adapters/fhir/appointments/read.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();

describe('the modality', () => {
  const category = (code: string) => [
    { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code }] },
  ];

  test('is virtual, in person, or not said', () => {
    expect(toModality(category('VR'))).toBe('virtual');
    expect(toModality(category('AMB'))).toBe('in-person');
    expect(toModality([{ text: 'x' }])).toBeUndefined();
    expect(toModality(undefined)).toBeUndefined();
  });
});

test('a list of appointments is one request, and one for who the patient is, with the practitioner of a role and the carrier of a coverage', async () => {
  const patientId = id('Patient/bruno');
  const to = (reference: string) => ({ actor: { reference }, status: 'accepted' as const });
  server.load({
    resourceType: 'Appointment',
    id: 'with-a-role',
    status: 'booked',
    start: '2030-01-14T13:00:00Z',
    participant: [to(`Patient/${patientId}`), to(`PractitionerRole/${id('PractitionerRole/paz')}`)],
    supportingInformation: [{ reference: `Coverage/${id('Coverage/bruno-osde')}` }],
  });
  server.requests.reset();
  const { items } = await ports.appointments.list(patientId, { order: 'ascending' }, callNow());
  expect(items).toMatchObject([
    { practitioners: [{ name: expect.stringContaining('Paz') }], coverage: { carrier: 'OSDE' } },
  ]);
  expect(server.requests.calls.toSorted()).toEqual(['GET Appointment', 'GET Patient']);
});

test('an appointment at a local time that comes for the second time shows it as one at the first does', async () => {
  const patientId = id('Patient/bruno');
  for (const offset of ['+02:00', '+01:00']) {
    server.load({
      resourceType: 'Appointment',
      id: `at-${offset.slice(2, 3)}`,
      status: 'booked',
      start: `2030-10-27T02:30:00${offset}`,
      participant: [{ actor: { reference: `Patient/${patientId}` }, status: 'accepted' }],
    });
  }
  const madrid = { timeZone: 'Europe/Madrid', locale: 'es-AR', bookingHorizonDays: 60 };
  const { appointments } = (await connect(server, {}, madrid)).ports;
  const { items } = await appointments.list(patientId, { order: 'ascending' }, callNow());
  const inTheNight = items.filter(({ start }) => start.startsWith('2030-10-27'));
  expect(inTheNight.map(({ start }) => start)).toEqual(['2030-10-27T02:30:00', '2030-10-27T02:30:00']);
});

describe('the coverage of an appointment', () => {
  test('that is gone has its id and what the appointment calls it, and nothing else', async () => {
    const patientId = id('Patient/bruno');
    const to = (reference: string) => ({ actor: { reference }, status: 'accepted' as const });
    server.load({
      resourceType: 'Appointment',
      id: 'with-a-coverage-that-is-gone',
      status: 'fulfilled',
      start: '2026-01-12T13:00:00Z',
      end: '2026-01-12T13:20:00Z',
      participant: [to(`Patient/${patientId}`), to(`Practitioner/${id('Practitioner/paz')}`)],
      supportingInformation: [{ reference: 'Coverage/gone', display: 'OSDE' }],
    });
    const { items } = await ports.appointments.list(patientId, { order: 'ascending' }, callNow());
    expect(items.find((each) => each.id === 'with-a-coverage-that-is-gone')?.coverage).toEqual({
      id: 'gone',
      patientId,
      carrier: 'OSDE',
      planId: '',
      plan: '',
      credentialNumber: '',
      active: false,
    });
  });
});
