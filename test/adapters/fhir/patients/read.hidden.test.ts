import { afterEach, describe, expect, test } from '@jest/globals';
import { terms, to } from '../../../hospital-in-fhir/terms.ts';
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
