import { describe, expect, test } from '@jest/globals';
import type { Appointment, AppointmentParticipant } from '@medplum/fhirtypes';
import type { AppointmentStatus } from '../../../../src/ports/index.ts';
import { ownExtension } from '../../../hospital-in-fhir/terms.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();
const call = callNow({ now: '2055-03-20T12:00:00.000Z' });
const [start, end] = ['2055-03-24T12:00:00.000Z', '2055-03-24T12:20:00.000Z'];

const takePart = (
  reference: string,
  status: AppointmentParticipant['status'] = 'accepted',
): AppointmentParticipant => ({
  actor: { reference },
  status,
});
const ana = () => `Patient/${id('Patient/ana')}`;
const bruno = () => `Patient/${id('Patient/bruno')}`;

async function arrange(participant: AppointmentParticipant[], rest: Partial<Appointment> = {}) {
  const schedule = { reference: `Schedule/${id('Schedule/paz-central')}` };
  const slot = await server.create({ resourceType: 'Slot', schedule, status: 'busy', start, end });
  const appointment = await server.create<Appointment>({
    resourceType: 'Appointment',
    status: 'booked',
    start,
    end,
    slot: [{ reference: `Slot/${slot.id}` }],
    participant,
    ...rest,
  });
  const readStatuses = async () => [
    (await server.read('Appointment', appointment.id)).status,
    (await server.read('Slot', slot.id)).status,
  ];
  return { appointmentId: appointment.id, readStatuses };
}

const cancel = (appointmentId: string) => ports.appointments.cancel(id('Patient/ana'), appointmentId, call);

async function find(
  appointmentId: string,
  patient = 'ana',
  status?: AppointmentStatus,
  page?: { page: 0; limit: 100 },
) {
  const query = { order: 'ascending', ...(status && { status }), ...(page && { page }) } as const;
  const { items } = await ports.appointments.list(id(`Patient/${patient}`), query, call);
  return items.find((each) => each.id === appointmentId);
}

describe('an appointment of several patients', () => {
  test.each<[string, () => AppointmentParticipant[], Partial<Appointment>]>([
    ['another patient', () => [takePart(ana()), takePart(bruno())], {}],
    ['another patient who has not answered', () => [takePart(bruno(), 'needs-action'), takePart(ana())], {}],
    ['a patient of another server', () => [takePart(ana()), takePart('https://other.example.org/fhir/Patient/x')], {}],
    ['somebody known as a patient', () => [takePart(ana()), { actor: { type: 'Patient' }, status: 'accepted' }], {}],
    [
      'another patient, though the institution says that it can be',
      () => [takePart(ana()), takePart(bruno())],
      { extension: [{ url: ownExtension('appointment-cancelable'), valueBoolean: true }] },
    ],
  ])('is not canceled by one of them while there is %s', async (_, participants, rest) => {
    const { appointmentId, readStatuses } = await arrange(participants(), rest);
    expect(await find(appointmentId)).toMatchObject({ status: 'active', cancelable: false });
    await expect(cancel(appointmentId)).rejects.toEqual(matchFailure('conflict', { code: 'not_cancelable' }));
    expect(await readStatuses()).toEqual(['booked', 'busy']);
  });

  test.each<[string, () => AppointmentParticipant]>([
    ['has declined', () => takePart(bruno(), 'declined')],
    ['is the same one', () => takePart(`${ana()}/_history/1`)],
    ['is the mother', () => ({ actor: { type: 'RelatedPerson' }, status: 'accepted' })],
  ])('is canceled by one of them when the other %s', async (_, other) => {
    const { appointmentId, readStatuses } = await arrange([takePart(ana()), other()]);
    expect((await find(appointmentId))?.cancelable).toBe(true);
    await cancel(appointmentId);
    expect(await readStatuses()).toEqual(['cancelled', 'free']);
  });

  test('is canceled to the one who has declined, and stays that of the others', async () => {
    const { appointmentId, readStatuses } = await arrange([takePart(ana(), 'declined'), takePart(bruno())]);
    expect(await find(appointmentId)).toMatchObject({ status: 'canceled', cancelable: false });
    expect(await find(appointmentId, 'bruno')).toMatchObject({ status: 'active', cancelable: true });
    await cancel(appointmentId);
    expect(await readStatuses()).toEqual(['booked', 'busy']);
  });

  test.each([
    ['a page', { page: 0, limit: 100 }],
    ['all', undefined],
  ] as const)('is not among the active ones of the one who has declined, asked for %s', async (_, page) => {
    const { appointmentId } = await arrange([takePart(ana(), 'declined'), takePart(bruno())]);
    expect(await find(appointmentId, 'ana', 'active', page)).toBeUndefined();
    expect(await find(appointmentId, 'bruno', 'active', page)).toBeDefined();
  });
});
