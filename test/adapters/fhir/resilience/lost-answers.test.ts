import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Appointment, Patient } from '@medplum/fhirtypes';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import type { LoggedRequest } from '../../../fhir-server/request-log.ts';
import { terms } from '../../../hospital-in-fhir/terms.ts';
import { findSlot, toBooking } from '../../../support/fhir-bookings.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();

const isTransaction = ({ method, path, body }: LoggedRequest): boolean =>
  method === 'POST' && path === '' && body.includes('"Appointment"');

const listAppointmentsAt = async (slotId: string): Promise<Appointment[]> =>
  (await server.search('Appointment', 'status=booked')).filter(({ slot }) =>
    slot?.some(({ reference }) => reference === `Slot/${slotId}`),
  );

describe('a booking', () => {
  test.each([409, 412] as const)('is won by one of twenty when a stale version is a %i', async (versionConflict) => {
    server.reset({ versionConflict });
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    const book = () => ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow());
    const results = await Promise.allSettled(Array.from({ length: 20 }, book));
    const lost = results.filter((each) => each.status === 'rejected');
    expect(lost.map(({ reason }) => reason)).toEqual(Array(19).fill(matchFailure('conflict', { code: 'slot_taken' })));
    expect(await listAppointmentsAt(slot.id)).toHaveLength(1);
    expect((await server.read('Slot', slot.id)).status).toBe('busy');
  });

  test('succeeds when its answer is lost after the commit, because it is found again', async () => {
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    server.quirks.loseAnswer = isTransaction;
    const { id: booked } = await ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow());
    expect((await listAppointmentsAt(slot.id)).map((each) => each.id)).toEqual([booked]);
  });

  test('is the same one when it is sent again under its Idempotency-Key', async () => {
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    const book = () =>
      ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow({ idempotencyKey: 'once-and-for-all' }));
    const first = await book();
    expect(await book()).toEqual(first);
    expect(await listAppointmentsAt(slot.id)).toHaveLength(1);
  });

  test('is the same one for everybody who sends it twenty times at once under one Idempotency-Key', async () => {
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    const book = () => ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow({ idempotencyKey: 'k' }));
    const made = await Promise.all(Array.from({ length: 20 }, book));
    expect(new Set(made.map((each) => each.id)).size).toBe(1);
    expect(await listAppointmentsAt(slot.id)).toHaveLength(1);
  });

  test('keeps its Idempotency-Key to itself', async () => {
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    await ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow({ idempotencyKey: 'my-very-own' }));
    expect(JSON.stringify(server.requests.all)).not.toContain('my-very-own');
  });

  test('of another client under the same Idempotency-Key is another booking', async () => {
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    const book = (client: string) =>
      ports.appointments.book(id('Patient/bruno'), toBooking(slot), callNow({ client, idempotencyKey: 'k' }));
    await book('one');
    await expect(book('two')).rejects.toEqual(matchFailure('conflict', { code: 'slot_taken' }));
  });

  test('of somebody else under the same Idempotency-Key is refused', async () => {
    const slot = await findSlot(ports, id('HealthcareService/consulta-clinica'));
    const once = callNow({ idempotencyKey: 'k' });
    await ports.appointments.book(id('Patient/bruno'), toBooking(slot), once);
    await expect(ports.appointments.book(id('Patient/dario'), toBooking(slot), once)).rejects.toEqual(
      matchFailure('invalid', { code: 'idempotency_key_reused' }),
    );
  });
});

describe('a cancellation', () => {
  test('leaves a slot busy that another active appointment names', async () => {
    const appointment = await server.read('Appointment', id('Appointment/turno-ana-1'));
    const [taken] = appointment.slot ?? [];
    const slotId = taken?.reference?.split('/')[1] ?? '';
    const { id: _, meta: __, ...other } = appointment;
    const { id: second } = await server.create<Appointment>(other);
    await ports.appointments.cancel(id('Patient/ana'), appointment.id, callNow());
    expect((await server.read('Appointment', appointment.id)).status).toBe('cancelled');
    expect((await server.read('Slot', slotId)).status).toBe('busy');
    await ports.appointments.cancel(id('Patient/ana'), second, callNow());
    expect((await server.read('Slot', slotId)).status).toBe('free');
  });

  test('succeeds when its answer is lost after the commit', async () => {
    const appointmentId = id('Appointment/turno-ana-1');
    server.quirks.loseAnswer = isTransaction;
    await ports.appointments.cancel(id('Patient/ana'), appointmentId, callNow());
    const { status, slot } = await server.read('Appointment', appointmentId);
    expect(status).toBe('cancelled');
    const [taken] = slot ?? [];
    expect((await server.read('Slot', taken?.reference?.split('/')[1] ?? '')).status).toBe('free');
  });
});

describe('a registration', () => {
  const person = {
    identifier: { type: 'DNI', value: '38111222' },
    birthDate: '1994-02-03',
    gender: 'Female',
  } as const;

  test('of one person by twenty at once ends in one patient', async () => {
    const patients = await Promise.all(Array.from({ length: 20 }, () => ports.patients.register(person, callNow())));
    expect(new Set(patients.map((patient) => patient.id)).size).toBe(1);
    expect(await server.search('Patient', `identifier=${terms.dni}|38111222`)).toHaveLength(1);
  });

  test('returns a person who is known under the older system of the DNI', async () => {
    const known = { identifier: { type: 'DNI', value: '6543210' }, birthDate: '1951-01-09', gender: 'Female' } as const;
    expect((await ports.patients.register(known, callNow())).id).toBe(id('Patient/elena'));
  });

  test('is found by the gender Other also when the server does not know it', async () => {
    const criteria = { birthDate: '1990-08-22', gender: 'Other' } as const;
    const dario = await server.read('Patient', id('Patient/dario'));
    expect(await ports.patients.search(criteria, callNow())).toEqual([]);
    for (const gender of ['unknown', 'other'] as const) {
      await server.update<typeof dario>({ ...dario, gender });
      const found = await ports.patients.search(criteria, callNow());
      expect(found.map((patient) => patient.id)).toEqual([dario.id]);
    }
  });

  test('puts no document into a URL', async () => {
    await ports.patients.register(person, callNow());
    await ports.patients.search({ identifier: '38111222' }, callNow());
    expect(server.requests.all.map(({ target }) => target).join()).not.toContain('38111222');
  });
});

describe('an update of a patient', () => {
  const marked = { url: 'https://other.example.org/blood', valueString: 'A+' };

  async function mark(): Promise<Patient> {
    const patient = await server.read('Patient', id('Patient/ana'));
    const foreign = { system: 'https://federador.msal.gob.ar/patient-id', value: 'x-1' };
    return server.update({ ...patient, extension: [marked], identifier: [...(patient.identifier ?? []), foreign] });
  }

  test('keeps what it does not know', async () => {
    await mark();
    await ports.patients.update(id('Patient/ana'), { phone: '+54 9 11 5555-0177', medicalRecordId: 'HC-9' }, callNow());
    const after = await server.read('Patient', id('Patient/ana'));
    expect(after.extension).toEqual([marked]);
    expect(after.identifier?.map(({ value }) => value)).toEqual(['31465466', 'HC-9', 'x-1']);
    expect(after.telecom?.map(({ value }) => value)).toContain('+54 9 11 5555-0177');
  });

  test.each([
    ['generated', undefined],
    ['extensions', undefined],
    ['additional', 'Ana, as a person described her'],
  ] as const)('leaves no narrative behind that no longer tells the truth, when it was %s', async (status, kept) => {
    const patient = await server.read('Patient', id('Patient/ana'));
    const div = '<div xmlns="http://www.w3.org/1999/xhtml">Ana, as a person described her</div>';
    await server.update({ ...patient, text: { status, div } });
    await ports.patients.update(id('Patient/ana'), { name: 'Anita' }, callNow());
    const after = await server.read('Patient', id('Patient/ana'));
    expect(after.name?.[0]?.given).toEqual(['Anita']);
    expect(after.text?.div.replaceAll(/<[^>]*>/g, '')).toBe(kept);
  });

  test('is merged with another one that happens at the same time', async () => {
    const { patients } = ports;
    await Promise.all([
      patients.update(id('Patient/ana'), { phone: '+54 9 11 5555-0178' }, callNow()),
      patients.update(id('Patient/ana'), { email: 'ana@example.org' }, callNow()),
    ]);
    expect(await patients.get(id('Patient/ana'), callNow())).toMatchObject({
      phone: '+54 9 11 5555-0178',
      email: 'ana@example.org',
    });
  });
});

describe('a patient who was merged into another', () => {
  beforeEach(async () => {
    const old = await server.read('Patient', id('Patient/dario'));
    const other = { reference: `Patient/${id('Patient/bruno')}` };
    await server.update<typeof old>({ ...old, active: false, link: [{ type: 'replaced-by', other }] });
  });

  test('is answered with the one who is left', async () => {
    expect((await ports.patients.get(id('Patient/dario'), callNow())).id).toBe(id('Patient/bruno'));
  });

  test('is replaced in a search by the one who is left', async () => {
    const found = await ports.patients.search({ identifierType: 'Passport', identifier: 'AAB123456' }, callNow());
    expect(found.map((patient) => patient.id)).toEqual([id('Patient/bruno')]);
  });
});

describe('a relative', () => {
  const member = { relationshipCode: 5, relationshipDescription: 'hermana', active: true };
  const add = () =>
    ports['family-groups'].add(id('Patient/bruno'), { ...member, relatedPatientId: id('Patient/elena') }, callNow());
  const list = () => ports['family-groups'].list(id('Patient/bruno'), callNow());
  const remove = (memberId: string) => ports['family-groups'].remove(id('Patient/bruno'), memberId, callNow());

  test('to whom something refers is put out of use, and can be named again', async () => {
    const { id: memberId } = await add();
    const before = await list();
    const refers = { author: [{ reference: `RelatedPerson/${memberId}` }] };
    await server.create({
      resourceType: 'DocumentReference',
      status: 'current',
      content: [{ attachment: { title: 'x' } }],
      ...refers,
    });
    await remove(memberId);
    expect((await list()).length).toBe(before.length - 1);
    expect((await server.read('RelatedPerson', memberId)).active).toBe(false);
    expect(await add()).toEqual({ id: memberId });
    expect(await list()).toEqual(before);
  });

  test('can be named again at once where a server remembers conditions', async () => {
    server.quirks.keepsSearchUrls = true;
    const { id: memberId } = await add();
    await remove(memberId);
    const { id: again } = await add();
    expect((await list()).map((each) => each.id)).toContain(again);
  });

  test.each([
    ['HAPI', hapi],
    ['Medplum', medplum],
  ])('is named once by twenty at once, also after a removal that %s remembers', async (_, quirks) => {
    server.reset({ ...quirks, keepsSearchUrls: true });
    const before = await list();
    await remove((await add()).id);
    const results = await Promise.allSettled(Array.from({ length: 20 }, add));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await list()).toHaveLength(before.length + 1);
  });
});

describe('a request for another practitioner', () => {
  const request = (call = callNow()) =>
    ports.practitioners.requestChange(id('Patient/bruno'), { reasonId: 'mudanza' }, call);
  const listOpen = async () => (await server.search('Task')).filter(({ status }) => status === 'requested');

  test.each([
    ['HAPI', { ...hapi, createRace: 60_000 }],
    ['Medplum', medplum],
  ])('of ten that are made at once on %s is open once', async (_, quirks) => {
    server.reset(quirks);
    const before = (await listOpen()).length;
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => request()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const code = 'change_request_open';
    const lost = results.filter((each) => each.status === 'rejected').map(({ reason }) => reason);
    expect(lost).toEqual(Array.from({ length: 9 }, () => expect.objectContaining({ kind: 'conflict', code })));
    expect(await listOpen()).toHaveLength(before + 1);
  });

  test('that is sent ten times at once under one Idempotency-Key is one request', async () => {
    server.quirks.createRace = 60_000;
    const before = (await server.search('Task')).length;
    const call = callNow({ idempotencyKey: 'once' });
    const send = () => ports.practitioners.requestChange(id('Patient/bruno'), { reasonId: 'mudanza' }, call);
    const requests = await Promise.all(Array.from({ length: 10 }, send));
    expect(new Set(requests.map((request) => request.id)).size).toBe(1);
    expect(await server.search('Task')).toHaveLength(before + 1);
  });
});
