import { describe, expect, test } from '@jest/globals';
import type { Patient } from '../../../../src/ports/index.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, ports } = await setUpHospital({ systems: {} });

const makeType = (code: string) => ({
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code }],
});
const passport = {
  type: makeType('PPN'),
  system: 'urn:oid:2.16.840.1.113883.4.330.76',
  value: 'BR123456',
  period: { start: '2020-01-01' },
  assigner: { display: 'Polícia Federal' },
};
const stored = {
  resourceType: 'Patient',
  id: 'joao',
  identifier: [
    passport,
    { type: makeType('MR'), system: 'https://hospital.example.org/hc', value: 'HC-77', assigner: { display: 'HG' } },
  ],
  name: [{ use: 'official', text: 'Dr. João da Silva', family: 'da Silva', given: ['João'], prefix: ['Dr.'] }],
  telecom: [{ system: 'phone', use: 'home', value: '1', rank: 2 }],
  gender: 'unknown',
  birthDate: '1985-11-30',
  maritalStatus: { text: 'unknown to us' },
  extension: [{ url: 'https://other.example.org/blood', valueString: 'A+' }],
  address: [
    { use: 'home', line: ['Mitre 10'], city: 'Rosario', district: 'Centro', country: 'AR', period: { start: '2019' } },
    { use: 'work', city: 'Funes' },
  ],
} as const;

async function update(change: (shown: Patient) => object) {
  server.load(stored);
  await ports.patients.update('joao', change(await ports.patients.get('joao', callNow())), callNow());
  const { meta: _, ...after } = await server.read('Patient', 'joao');
  return after;
}

describe('an update of a patient', () => {
  test('that repeats all fields as they were read changes nothing but what it changes', async () => {
    const after = await update(({ id: _id, active: _active, ...all }) => ({
      ...all,
      phone: '2',
      address: { ...all.address, floor: '' },
    }));
    expect(after).toEqual({ ...stored, telecom: [{ system: 'phone', use: 'home', value: '2', rank: 2 }] });
  });

  test.each([
    ['telephone', { phone: '' }, { telecom: [{ system: 'phone', value: '1' }] }, 'telecom'],
    [
      'number of a record',
      { medicalRecordId: '' },
      { identifier: [{ type: makeType('MR'), value: '7' }] },
      'identifier',
    ],
  ] as const)(
    'that removes the only %s leaves no empty list, which FHIR forbids',
    async (_, changes, only, element) => {
      const { telecom: _telecom, identifier: _identifier, ...rest } = stored;
      server.load({ ...rest, ...only });
      server.quirks.validation = 'on';
      server.quirks.loseAnswer = ({ method }) => method === 'PUT';
      await ports.patients.update('joao', changes, callNow());
      expect(await server.read('Patient', 'joao')).not.toHaveProperty(element);
    },
  );

  test.each([
    ['generated', undefined],
    ['extensions', undefined],
    ['additional', 'João, as a person described him'],
  ] as const)('leaves no narrative behind that no longer tells the truth, when it was %s', async (status, kept) => {
    const div = '<div xmlns="http://www.w3.org/1999/xhtml">João, as a person described him</div>';
    server.load({ ...stored, text: { status, div } });
    await ports.patients.update('joao', { name: 'Juan' }, callNow());
    const after = await server.read('Patient', 'joao');
    expect(after.name?.[0]?.given).toEqual(['Juan']);
    expect(after.text?.div.replaceAll(/<[^>]*>/g, '')).toBe(kept);
  });

  test('to another document of the patient keeps who issued it', async () => {
    const dni = { system: 'http://www.renaper.gob.ar/dni', value: '31465466' };
    server.load({ ...stored, identifier: [dni, passport] });
    await ports.patients.update('joao', { identifier: { type: 'Passport', value: 'BR123456' } }, callNow());
    expect((await server.read('Patient', 'joao')).identifier).toEqual([
      { ...dni, use: 'secondary' },
      { ...passport, use: 'official' },
    ]);
  });

  test('of the address replaces the home, and keeps former homes and those for letters alone', async () => {
    const home = { use: 'home', city: 'Rosario' };
    const letters = { use: 'home', type: 'postal', line: ['Casilla 5'] };
    const former = { use: 'home', city: 'Córdoba', period: { end: '2019-01-01' } };
    server.load({ ...stored, address: [home, letters, former] });
    await ports.patients.update('joao', { address: { city: 'Funes' } }, callNow());
    expect((await server.read('Patient', 'joao')).address).toEqual([{ ...home, city: 'Funes' }, letters, former]);
    expect(await ports.patients.get('joao', callNow())).toMatchObject({ address: { city: 'Funes' } });
  });

  test('of an address that is for letters alone replaces that one', async () => {
    server.load({ ...stored, address: [{ use: 'home', type: 'postal', line: ['Casilla 5'] }] });
    await ports.patients.update('joao', { address: { city: 'Funes' } }, callNow());
    expect((await server.read('Patient', 'joao')).address).toEqual([{ use: 'home', city: 'Funes' }]);
  });

  test('takes away what the server says of a value that is changed, and of no other', async () => {
    const url = 'http://hl7.org/fhir/StructureDefinition/patient-birthTime';
    const said = { extension: [{ url, valueDateTime: '1985-11-30T04:10:00-03:00' }] };
    const name = { use: 'official', family: 'da Silva', given: ['João'], _given: [{ id: 'a' }], _family: { id: 'b' } };
    server.load({ ...stored, _birthDate: said, _gender: said, name: [name] });
    await ports.patients.update('joao', { gender: 'Female' }, callNow());
    expect(await server.read('Patient', 'joao')).toMatchObject({ gender: 'female', _birthDate: said, name: [name] });
    await ports.patients.update('joao', { name: 'Ana', birthDate: '1985-11-29' }, callNow());
    const after = await server.read('Patient', 'joao');
    expect(after).not.toHaveProperty('_gender');
    expect(after).not.toHaveProperty('_birthDate');
    expect(after.name).toEqual([
      { use: 'official', text: 'Ana da Silva', family: 'da Silva', given: ['Ana'], _family: { id: 'b' } },
    ]);
  });
});
