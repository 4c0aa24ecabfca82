import { describe, expect, test } from '@jest/globals';
import { Failure } from '../../../../src/ports/index.ts';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { findSlot, toBooking } from '../../../support/fhir-bookings.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

// Writes at the same moment that have nothing to do with each other. Medplum executes conditional creates SERIALIZABLE
// and refuses those that overlap, also those of other patients.

const { server, id } = await setUpHospital();

const HOW_MANY = 20;
const people = Array.from(
  { length: HOW_MANY },
  (_, turn) =>
    ({
      identifier: { type: 'DNI', value: String(38_111_200 + turn) },
      birthDate: '1994-02-03',
      gender: 'Female',
    }) as const,
);

const countDistinct = (made: readonly { readonly id: string }[]): number => new Set(made.map((each) => each.id)).size;

/** What became of as many at once: how often each thing was told. */
async function tally(write: (turn: number) => Promise<{ readonly id: string }>): Promise<Record<string, number>> {
  const told = Array.from({ length: HOW_MANY }, async (_, turn) => {
    const work = write(turn);
    return work.then(
      () => 'done',
      (error: unknown) => (error instanceof Failure ? String(error.code) : 'a bug'),
    );
  });
  const counts: Record<string, number> = {};
  for (const each of await Promise.all(told)) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

// HAPI refuses for a while what meets the criteria of another create.
const presets = [{ ...hapi, createRace: 60_000 }, medplum];

describe.each(presets)('twenty at once, on $software', (preset) => {
  async function start() {
    server.reset(preset);
    const { ports } = await connect(server);
    const patients = await Promise.all(people.map((person) => ports.patients.register(person, callNow())));
    return { ports, patients };
  }

  test('registrations, coverages, relatives and change requests of different patients all succeed', async () => {
    const { ports, patients } = await start();
    expect(countDistinct(patients)).toBe(HOW_MANY);
    const planId = id('InsurancePlan/swiss-smg20');
    const coverages = patients.map((patient, turn) =>
      ports.insurance.create({ beneficiaryId: patient.id, planId, credentialNumber: `60-${turn}` }, callNow()),
    );
    expect(countDistinct(await Promise.all(coverages))).toBe(HOW_MANY);
    const member = { relationshipCode: 5, relationshipDescription: 'hermana', active: true };
    const relatives = patients.map((patient) =>
      ports['family-groups'].add(patient.id, { ...member, relatedPatientId: id('Patient/ana') }, callNow()),
    );
    expect(countDistinct(await Promise.all(relatives))).toBe(HOW_MANY);
    const requests = patients.map((patient) =>
      ports.practitioners.requestChange(patient.id, { reasonId: 'mudanza' }, callNow()),
    );
    expect(countDistinct(await Promise.all(requests))).toBe(HOW_MANY);
  });

  test('registrations, coverages, relatives and change requests of one patient are one each', async () => {
    server.reset(preset);
    const { ports } = await connect(server);
    const [person] = people;
    if (!person) throw new Error('nobody');
    const registered = people.map(() => ports.patients.register(person, callNow()));
    expect(countDistinct(await Promise.all(registered))).toBe(1);
    const [patient] = await Promise.all(registered);
    const patientId = patient?.id ?? '';
    expect(await server.search('Patient', `identifier=${person.identifier.value}`)).toHaveLength(1);

    const plans = [id('InsurancePlan/swiss-smg20'), id('InsurancePlan/osde-210')];
    const cover = (turn: number) => {
      const wanted = { beneficiaryId: patientId, planId: plans[turn % 2] ?? '', credentialNumber: '60-1' };
      return ports.insurance.create(wanted, callNow());
    };
    expect(await tally(cover)).toEqual({ done: 1, coverage_exists: HOW_MANY - 1 });
    expect(await server.search('Coverage', `beneficiary=Patient/${patientId}`)).toHaveLength(1);

    const member = { relationshipCode: 5, relationshipDescription: 'hermana', active: true };
    const relate = () =>
      ports['family-groups'].add(patientId, { ...member, relatedPatientId: id('Patient/ana') }, callNow());
    expect(await tally(relate)).toEqual({ done: 1, relation_exists: HOW_MANY - 1 });
    expect(await server.search('RelatedPerson', `patient=Patient/${patientId}`)).toHaveLength(1);

    const request = () => ports.practitioners.requestChange(patientId, { reasonId: 'mudanza' }, callNow());
    expect(await tally(request)).toEqual({ done: 1, change_request_open: HOW_MANY - 1 });
    expect(await server.search('Task', `patient=Patient/${patientId}`)).toHaveLength(1);
  });

  test('bookings and change requests under one Idempotency-Key are one each, and the server never sees the key', async () => {
    server.reset(preset);
    const { ports } = await connect(server);
    const bruno = id('Patient/bruno');
    const call = callNow({ idempotencyKey: 'my-very-own' });
    const booking = toBooking(await findSlot(ports, id('HealthcareService/consulta-clinica')));
    const booked = people.map(() => ports.appointments.book(bruno, booking, call));
    expect(countDistinct(await Promise.all(booked))).toBe(1);
    expect(await server.search('Appointment', `patient=Patient/${bruno}`)).toHaveLength(1);
    const requests = people.map(() => ports.practitioners.requestChange(bruno, { reasonId: 'mudanza' }, call));
    expect(countDistinct(await Promise.all(requests))).toBe(1);
    expect(await server.search('Task', `patient=Patient/${bruno}`)).toHaveLength(1);
    expect(JSON.stringify(server.requests.all)).not.toContain('my-very-own');
  });
});

test('a write that overlaps with others until the call ends was not done', async () => {
  server.reset(medplum);
  const { ports } = await connect(server);
  const [person] = people;
  if (!person) throw new Error('nobody');
  server.quirks.serializationFailures = 'all';
  const work = ports.patients.register(person, callNow({ signal: AbortSignal.timeout(200) }));
  await expect(work).rejects.toMatchObject({ kind: 'timeout' });
  expect(await server.search('Patient', `identifier=${person.identifier.value}`)).toEqual([]);
});
