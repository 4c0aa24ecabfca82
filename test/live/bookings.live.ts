import { describe, expect, jest, test } from '@jest/globals';
import type { Appointment, Patient, Slot } from '@medplum/fhirtypes';
import { concept } from '../hospital-in-fhir/terms.ts';
import { startDroppingProxy } from '../support/dropping-proxy.ts';
import { findSlot, toBooking } from '../support/fhir-bookings.ts';
import { callNow, matchFailure } from '../support/fhir-calls.ts';
import { type LiveClinic, openLiveRecords } from '../support/live-records.ts';
import { readLiveServer } from '../support/live-server.ts';

// npm run test:live: bookings and other writes beside what somebody else has written into the server. It leaves behind what
// it writes.
jest.setTimeout(120_000);

const live = readLiveServer();
const records = openLiveRecords(live);
const { write, change, writeClinic, writePatient, makeDocument, namespace } = records;
const changeReasons = [{ id: 'mudanza', label: 'Mudanza' }];
const ports = await records.connect({ changeReasons });
const listAppointments = async (id: string) =>
  (await ports.appointments.list(id, { order: 'ascending' }, callNow())).items;

describe('a server that drops the identifier of what is created', () => {
  test.each([true, false])('has nobody twice where it removes what it is told to: %s', async (takesDeletes) => {
    const baseUrl = await startDroppingProxy(live.baseUrl, takesDeletes);
    const dropping = await records.connect({ baseUrl, retries: 0 });
    const birthDate = `18${makeDocument().slice(0, 2)}-02-01`;
    const draft = { identifier: { type: 'DNI', value: makeDocument() }, birthDate, gender: 'Female' } as const;
    const count = async () => (await ports.patients.search({ birthDate, gender: 'Female' }, callNow())).length;
    const before = await count();
    await expect(dropping.patients.register(draft, callNow())).rejects.toEqual(
      matchFailure(takesDeletes ? 'bad_answer' : 'outcome_unknown', { cause: { code: 'identifier_not_kept' } }),
    );
    expect(await count()).toBe(before + Number(!takesDeletes));
  });
});

/** An appointment of somebody in the first slot of the clinic. */
async function bookElsewhere(
  { slotIds: [id = ''] }: LiveClinic,
  [status, slotStatus]: readonly [Appointment['status'], Slot['status']],
  patientId: string,
) {
  await change('Slot', id, { status: slotStatus });
  const { start, end } = await records.read('Slot', id);
  const participant = [{ actor: { reference: `Patient/${patientId}` }, status: 'accepted' as const }];
  const slot = [{ reference: `Slot/${id}` }];
  const appointmentId = await write({ resourceType: 'Appointment', status, start, end, slot, participant });
  return { slotId: id, appointmentId };
}

describe('a slot', () => {
  test('that is free while a booked appointment names it is neither offered nor booked', async () => {
    const clinic = await writeClinic();
    const offer = await findSlot(ports, clinic.serviceId);
    await bookElsewhere(clinic, ['booked', 'free'], await writePatient());
    for (const page of [{}, { page: { page: 0, limit: 5 } }]) {
      const { items } = await ports.appointments.slots({ serviceId: clinic.serviceId, ...page }, callNow());
      expect(items.map(({ id }) => id)).toEqual(clinic.slotIds.slice(1));
    }
    const id = await writePatient();
    const booking = { ...toBooking(offer), slotId: offer.id };
    await expect(ports.appointments.book(id, booking, callNow())).rejects.toEqual(
      matchFailure('conflict', { code: 'slot_taken' }),
    );
    expect(await listAppointments(id)).toEqual([]);
  });

  test('that is held for an appointment is free again when that is canceled', async () => {
    const clinic = await writeClinic();
    const id = await writePatient();
    const { slotId, appointmentId } = await bookElsewhere(clinic, ['pending', 'busy-tentative'], id);
    expect((await findSlot(ports, clinic.serviceId)).id).not.toBe(slotId);
    await ports.appointments.cancel(id, appointmentId, callNow());
    expect((await records.read('Slot', slotId)).status).toBe('free');
    expect((await findSlot(ports, clinic.serviceId)).id).toBe(slotId);
  });
});

describe('a patient', () => {
  test.each<[string, Partial<Patient>]>([
    ['who is dead', { deceasedBoolean: true }],
    ['who died on a day', { deceasedDateTime: '2024-05-01' }],
    ['whose record is not in use', { active: false }],
  ])('%s gets no appointment, no coverage and no other practitioner, and is offered nothing', async (_, changes) => {
    const [{ serviceId }, { planId }] = [await writeClinic(), await records.writePlan()];
    const patientId = await writePatient();
    const ask = { serviceId, patientId };
    expect((await ports.appointments.slots(ask, callNow())).items).toHaveLength(3);
    await change('Patient', patientId, changes);
    const closed = matchFailure('invalid', { message: 'the record of this patient is closed' });
    const slot = await findSlot(ports, serviceId);
    await expect(ports.appointments.book(patientId, toBooking(slot), callNow())).rejects.toEqual(closed);
    const card = { beneficiaryId: patientId, planId, credentialNumber: 'N-9' };
    await expect(ports.insurance.create(card, callNow())).rejects.toEqual(closed);
    const request = ports.practitioners.requestChange(patientId, { reasonId: 'mudanza' }, callNow());
    await expect(request).rejects.toEqual(closed);
    expect((await ports.appointments.slots(ask, callNow())).items).toEqual([]);
    expect(await ports['care-services'].available({ patientId }, callNow())).toEqual([]);
    expect(await listAppointments(patientId)).toEqual([]);
  });
});

describe('a time is neither offered nor booked when', () => {
  const past = { end: '2020-01-01' };
  const keepFirst = (code: string) => async (clinic: LiveClinic) => {
    for (const id of clinic.slotIds) {
      await change('Slot', id, { appointmentType: concept('http://hl7.org/fhir/v2/0276', code) });
    }
  };

  test.each<[string, (clinic: LiveClinic) => Promise<void>]>([
    ['the practitioner is retired', (clinic) => change('Practitioner', clinic.practitionerId, { active: false })],
    [
      'the role that the schedule names has ended',
      async ({ practitionerId, locationId, scheduleId }) => {
        const practitioner = { reference: `Practitioner/${practitionerId}` };
        const role = await write({ resourceType: 'PractitionerRole', practitioner, period: past });
        const actor = [`PractitionerRole/${role}`, `Location/${locationId}`].map((reference) => ({ reference }));
        await change('Schedule', scheduleId, { actor });
      },
    ],
    [
      'all roles of the practitioner have ended',
      async ({ practitionerId }) => {
        const practitioner = { reference: `Practitioner/${practitionerId}` };
        await write({ resourceType: 'PractitionerRole', practitioner, period: past });
      },
    ],
    ['the place is suspended', (clinic) => change('Location', clinic.locationId, { status: 'suspended' })],
    ['it is for emergencies', keepFirst('EMERGENCY')],
    ['it is for those who walk in', keepFirst('WALKIN')],
  ])('%s', async (_, end) => {
    const clinic = await writeClinic();
    const slot = await findSlot(ports, clinic.serviceId);
    await end(clinic);
    expect((await ports.appointments.slots({ serviceId: clinic.serviceId }, callNow())).items).toEqual([]);
    const id = await writePatient();
    await expect(ports.appointments.book(id, toBooking(slot), callNow())).rejects.toMatchObject({ name: 'Failure' });
    expect(await listAppointments(id)).toEqual([]);
  });
});

test('of twelve booked appointments the five that the patient has declined are among those that are canceled', async () => {
  const id = await writePatient();
  const ids: string[] = [];
  for (let day = 1; day <= 14; day++) {
    const status = day % 2 === 1 && day < 10 ? 'declined' : 'accepted';
    ids.push(
      await write({
        resourceType: 'Appointment',
        status: day > 12 ? 'cancelled' : 'booked',
        start: `2030-01-${String(day).padStart(2, '0')}T12:00:00Z`,
        end: `2030-01-${String(day).padStart(2, '0')}T12:20:00Z`,
        participant: [{ actor: { reference: `Patient/${id}` }, status }],
      }),
    );
  }
  const pick = (days: readonly number[]) => days.map((day) => ids[day - 1]);
  for (const [status, expected] of [
    ['active', pick([2, 4, 6, 8, 10, 11, 12])],
    ['canceled', pick([1, 3, 5, 7, 9, 13, 14])],
  ] as const) {
    const rows: string[] = [];
    for (const page of [0, 1]) {
      const query = { order: 'ascending', page: { page, limit: 5 }, status } as const;
      const { items, total } = await ports.appointments.list(id, query, callNow());
      expect(total).toBe(7);
      rows.push(...items.map((each) => each.id));
    }
    expect(rows).toEqual(expected);
  }
});

/** Writes a type of tickets with one file, and returns its reference. */
async function writeForm(): Promise<string> {
  const useContext = [
    {
      code: { system: 'http://terminology.hl7.org/CodeSystem/usage-context-type', code: 'workflow' },
      valueCodeableConcept: concept(`${namespace}/CodeSystem/questionnaire-kind`, 'ticket-type'),
    },
  ];
  const item = [{ linkId: 'orden', type: 'attachment' as const, text: 'Orden' }];
  const form = { resourceType: 'Questionnaire', status: 'active', title: 'Autorización', useContext, item } as const;
  return `Questionnaire/${await write(form)}`;
}

/** Files a ticket of the patient on a day of January with this content, past the gateway, and returns its id. */
async function fileTicket(patientId: string, questionnaire: string, day: number, contentType: string, content: Buffer) {
  const binary = await write({ resourceType: 'Binary', contentType, data: content.toString('base64') });
  const file = { contentType, url: `Binary/${binary}` };
  const answers = await write({
    resourceType: 'QuestionnaireResponse',
    status: 'completed',
    questionnaire,
    item: [{ linkId: 'orden', answer: [{ valueAttachment: file }] }],
  });
  return write({
    resourceType: 'Task',
    status: 'requested',
    intent: 'order',
    code: concept(`${namespace}/CodeSystem/task-kind`, 'ticket'),
    for: { reference: `Patient/${patientId}` },
    authoredOn: `2026-01-0${day}T12:00:00Z`,
    focus: { reference: `QuestionnaireResponse/${answers}` },
  });
}

test('a list of tickets has the newest files within its bound, always the same ones, and counts the others', async () => {
  const id = await writePatient();
  const questionnaire = await writeForm();
  const ids: string[] = [];
  for (let day = 1; day <= 6; day++) {
    ids.push(await fileTicket(id, questionnaire, day, 'application/pdf', Buffer.alloc(1_000, String(day))));
  }
  const { tickets } = await records.connect({ ticketFiles: { bytes: 3_500, origins: live.fileOrigins ?? [] } });
  for (let round = 0; round < 3; round++) {
    let omitted = 0;
    const all = await tickets.list(id, {}, callNow({ omit: () => void omitted++ }));
    const filled = all.filter(({ fields }) => fields[0]?.value).map((ticket) => ticket.id);
    expect(filled).toEqual(ids.slice(3).toReversed());
    expect(omitted).toBe(3);
  }
});

test('a file that is a resource in application/fhir+json stays in its ticket as it is', async () => {
  const id = await writePatient();
  const content = Buffer.from(JSON.stringify({ resourceType: 'Basic', id: 'x', code: { text: 'a file' } }));
  await fileTicket(id, await writeForm(), 1, 'application/fhir+json', content);
  const { tickets } = await records.connect({ ticketFiles: { origins: live.fileOrigins ?? [] } });
  const [ticket] = await tickets.list(id, {}, callNow());
  expect(JSON.parse(Buffer.from(ticket?.fields[0]?.value ?? '', 'base64').toString())).toMatchObject({ id: 'x' });
});
