import { describe, expect, test } from '@jest/globals';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import { connect } from '../../../support/fhir-adapter.ts';
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

describe.each([hapi, medplum])('twenty at once, on $software', (preset) => {
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
