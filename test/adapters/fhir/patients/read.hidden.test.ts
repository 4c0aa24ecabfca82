import { afterEach, describe, expect, test } from '@jest/globals';
import type { Patient } from '@medplum/fhirtypes';
import { ownIds, terms, to } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id } = await setUpHospital();
const { NODE_ENV } = process.env;
afterEach(() => {
  process.env.NODE_ENV = NODE_ENV;
});

const confidentiality = (code: string) => ({
  security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code }],
});
const labels = {
  test: { tag: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActReason', code: 'HTEST' }] },
  'test, as a security label': { security: [{ system: 'http://hl7.org/fhir/v3/ActReason', code: 'HTEST' }] },
  restricted: confidentiality('R'),
  'very restricted': confidentiality('V'),
  normal: confidentiality('N'),
};
const person = { identifier: { type: 'DNI', value: '61234567' }, birthDate: '1985-11-03', gender: 'Female' } as const;

async function arrange(label: keyof typeof labels, settings: object) {
  const identifier = [{ system: terms.dni, value: '61234567' }];
  server.load({
    resourceType: 'Patient',
    id: 'alma',
    gender: 'female',
    birthDate: '1985-11-03',
    identifier,
    meta: labels[label],
  });
  server.load({ resourceType: 'Coverage', id: 'alma', status: 'active', beneficiary: to('Patient/alma'), payor: [] });
  return (await connect(server, { ...settings })).ports;
}

describe.each([
  ['test', { hidePatients: ['test'] }],
  ['test, as a security label', { hidePatients: ['test', 'restricted'] }],
  ['restricted', { hidePatients: ['restricted'] }],
  ['very restricted', { hidePatients: ['restricted'] }],
] as const)('a patient who is %s, hidden by %j', (label, settings) => {
  test('is nowhere', async () => {
    const ports = await arrange(label, settings);
    expect(await ports.patients.search({ identifier: '61234567' }, callNow())).toEqual([]);
    expect(await ports.patients.search({ birthDate: person.birthDate, gender: 'Female' }, callNow())).toEqual([]);
    const missing = matchFailure('not_found');
    await expect(ports.patients.get('alma', callNow())).rejects.toEqual(missing);
    await expect(ports.patients.update('alma', { phone: '1' }, callNow())).rejects.toEqual(missing);
    await expect(ports.appointments.list('alma', { order: 'ascending' }, callNow())).rejects.toEqual(missing);
    await expect(ports.insurance.coverages('alma', callNow())).rejects.toEqual(missing);
    await expect(ports.practitioners.mainOf('alma', callNow())).rejects.toEqual(missing);
    await expect(ports['care-services'].available({ patientId: 'alma' }, callNow())).rejects.toEqual(
      matchFailure('invalid'),
    );
    expect((await ports.patients.get(id('Patient/ana'), callNow())).id).toBe(id('Patient/ana'));
  });

  test('is not registered again', async () => {
    const ports = await arrange(label, settings);
    const before = (await server.search('Patient')).length;
    await expect(ports.patients.register(person, callNow())).rejects.toEqual(
      matchFailure('conflict', { code: 'identity_conflict' }),
    );
    expect(await server.search('Patient')).toHaveLength(before);
  });
});

describe('a hidden patient', () => {
  const settings = { hidePatients: ['restricted'], transactions: 'trust' };
  const missing = matchFailure('not_found');

  /** Alma and what belongs to her, before a server that may ignore includes. */
  async function arrangeRecords(includeLimit: number) {
    const ports = await arrange('restricted', settings);
    server.load({
      resourceType: 'RelatedPerson',
      id: 'alma',
      patient: to('Patient/alma'),
      identifier: [{ system: ownIds('related-patient'), value: id('Patient/ana') }],
    });
    server.load({
      resourceType: 'Appointment',
      id: 'alma',
      status: 'booked',
      start: '2030-02-01T12:00:00Z',
      end: '2030-02-01T12:20:00Z',
      participant: [{ actor: to('Patient/alma'), status: 'accepted' }],
    });
    server.quirks.includeLimit = includeLimit;
    return ports;
  }

  test.each([1000, 0])('has no record that a caller can change or use by its id, with %d includes', async (limit) => {
    const ports = await arrangeRecords(limit);
    await expect(ports.appointments.cancel('alma', 'alma', callNow())).rejects.toEqual(missing);
    await expect(ports['family-groups'].remove('alma', 'alma', callNow())).rejects.toEqual(missing);
    await expect(ports.insurance.edit('alma', { credentialNumber: '1' }, callNow())).rejects.toEqual(missing);
    await expect(ports['care-services'].available({ coverageId: 'alma' }, callNow())).rejects.toEqual(
      matchFailure('invalid', { at: 'coverageId' }),
    );
    expect((await server.read('Appointment', 'alma')).status).toBe('booked');
    expect((await server.read('RelatedPerson', 'alma')).id).toBe('alma');
    expect(await server.read('Coverage', 'alma')).not.toHaveProperty('subscriberId');
  });

  test.each(['61234567', '61.234.567', '61/234/567'])('keeps the document that the server spells %s', async (value) => {
    const ports = await arrange('restricted', settings);
    server.load({ ...(await server.read('Patient', 'alma')), identifier: [{ system: terms.dni, value }] });
    const conflict = matchFailure('conflict', { code: 'identity_conflict' });
    const before = (await server.search('Patient')).length;
    await expect(ports.patients.register(person, callNow())).rejects.toEqual(conflict);
    expect(await server.search('Patient')).toHaveLength(before);
    if (value.includes('/')) return;
    const { identifier } = person;
    await expect(ports.patients.update(id('Patient/ana'), { identifier }, callNow())).rejects.toEqual(conflict);
  });

  test('is unknown by the record that was merged into theirs, too', async () => {
    const ports = await arrange('restricted', settings);
    const { meta: _, ...shown } = await server.read('Patient', 'alma');
    const link = [{ type: 'replaced-by' as const, other: to<Patient>('Patient/alma') }];
    const identifier = [{ system: terms.dni, value: '61234568' }];
    server.load({ ...shown, id: 'former', active: false, link, identifier });
    expect(await ports.patients.search({ identifier: '61234568' }, callNow())).toEqual([]);
    await expect(ports.patients.get('former', callNow())).rejects.toEqual(missing);
    await expect(ports.patients.update('former', { phone: '1' }, callNow())).rejects.toEqual(missing);
    await expect(ports.insurance.coverages('former', callNow())).rejects.toEqual(missing);
    await expect(ports.practitioners.mainOf('former', callNow())).rejects.toEqual(missing);
    const again = { ...person, identifier: { type: 'DNI', value: '61234568' } } as const;
    await expect(ports.patients.register(again, callNow())).rejects.toEqual(
      matchFailure('conflict', { code: 'identity_conflict' }),
    );
  });
});

describe('without the setting', () => {
  test.each([
    ['production', 'test', false],
    ['production', 'restricted', true],
    ['test', 'test', true],
    ['test', 'restricted', true],
  ] as const)('where NODE_ENV is %s, a patient who is %s is shown: %s', async (mode, label, isShown) => {
    process.env.NODE_ENV = mode;
    const ports = await arrange(label, {});
    expect(await ports.patients.search({ identifier: '61234567' }, callNow())).toHaveLength(Number(isShown));
  });
});

test('a patient whose record is normal is shown', async () => {
  const ports = await arrange('normal', { hidePatients: ['test', 'restricted'] });
  expect((await ports.patients.get('alma', callNow())).id).toBe('alma');
});
