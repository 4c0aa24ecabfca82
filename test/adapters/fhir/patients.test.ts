import { describe, expect, test } from '@jest/globals';
import { toElements } from '../../../adapters/fhir/patients/port.ts';
import { type PatientContext, toPatient } from '../../../adapters/fhir/patients/read.ts';
import { parseResource } from '../../../adapters/fhir/rest/resource.ts';
import type { Resource } from '../../../adapters/fhir/schema/resources.ts';
import { Codes } from '../../../adapters/fhir/schema/terminology.ts';
import { settings } from '../../../adapters/fhir/settings.ts';
import type { PatientChanges } from '../../../src/ports/index.ts';

const mrn = 'https://hospital.example.org/hc';
const codes = new Codes(settings.parse({ baseUrl: 'https://fhir.example.org', systems: { mrn: [mrn] } }));
const context: PatientContext = { codes, isInForce: ({ end = '9999' } = {}) => end > '2026' };
const makeDni = (value: string) => ({ system: 'http://www.renaper.gob.ar/dni', value });
const makeTyped = (code: string, value: string, system = 'https://other.example.org') => ({
  system,
  value,
  type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code }] },
});
const makePatient = (rest: object) => {
  const sent = JSON.stringify({ resourceType: 'Patient', id: 'p', birthDate: '1985-11-30', ...rest });
  return parseResource('Patient', JSON.parse(sent));
};
const applyChanges = (before: Resource<'Patient'>, changes: PatientChanges, own: PatientContext) =>
  makePatient({ ...before, ...toElements(before, changes, own) });
const mapPatient = (rest: object) => toPatient(makePatient(rest), context);
const makePart = (name: string, valueString: string) => ({
  url: `http://hl7.org/fhir/StructureDefinition/iso21090-ADXP-${name}`,
  valueString,
});

describe('the document of identity of a patient', () => {
  test.each<[string, object[], object]>([
    ['a DNI before a passport', [makeTyped('PPN', 'aab 123'), makeDni('31465466')], { type: 'DNI', value: '31465466' }],
    ['a DNI without dots and leading zeros', [makeDni('06.543.210')], { type: 'DNI', value: '6543210' }],
    ['a DNI of the older system', [{ system: 'http://renaper.gob.ar/dni', value: '1' }], { type: 'DNI', value: '1' }],
    ['a passport of any country', [makeTyped('PPN', 'aab 123')], { type: 'Passport', value: 'AAB123' }],
    [
      'another typed number before an untyped one',
      [{ value: 'X1' }, makeTyped('TAX', '20-1')],
      { type: 'Other', value: '20-1' },
    ],
    ['no number of a record', [makeTyped('MR', 'HC-1')], { type: 'Other', value: '' }],
    [
      'no secondary one before another',
      [{ ...makeDni('1'), use: 'secondary' }, makeTyped('PPN', 'A1')],
      { type: 'Passport', value: 'A1' },
    ],
    [
      'the renewed one before the one that has expired',
      [{ ...makeTyped('PPN', 'A1'), period: { end: '2020-05-01' } }, makeTyped('PPN', 'A2')],
      { type: 'Passport', value: 'A2' },
    ],
    [
      'a DNI whose card has expired before another number',
      [makeTyped('TAX', '20-1'), { ...makeDni('1'), period: { end: '2020-05-01' } }],
      { type: 'DNI', value: '1' },
    ],
  ])('is %s', (_, identifier, expected) => {
    expect(mapPatient({ identifier }).identifier).toEqual(expected);
  });

  test('is replaced by one of its kind in its place', () => {
    const before = makePatient({
      identifier: [{ ...makeDni('1'), period: { start: '2001' } }, makeTyped('TAX', '20-1')],
    });
    const { identifier } = applyChanges(before, { identifier: { type: 'DNI', value: '2' } }, context);
    expect(identifier?.map(({ value }) => value)).toEqual(['2', '20-1']);
  });

  test.each([{}, { period: { end: '2020-05-01' } }])(
    'with %j stays on record as a secondary one when one of another kind takes its place',
    (rest) => {
      const before = makePatient({ identifier: [{ ...makeDni('1'), ...rest }] });
      const after = applyChanges(before, { identifier: { type: 'Passport', value: 'A1' } }, context);
      expect(toPatient(after, context).identifier).toEqual({ type: 'Passport', value: 'A1' });
      expect(after.identifier?.[0]).toEqual({ ...makeDni('1'), ...rest, use: 'secondary' });
    },
  );

  const former = { ...makeDni('1'), use: 'old' };
  const expired = { ...makeDni('1'), period: { end: '2020-05-01' } };
  const older = { system: 'http://renaper.gob.ar/dni', value: '0.000.002' };
  const renewed = expect.objectContaining({ ...makeDni('3'), use: 'official' });

  test.each<[string, object[], object[]]>([
    ['in the place of the one that is shown', [former, makeDni('2')], [former, renewed]],
    ['in the place of a secondary one', [{ ...makeDni('2'), use: 'secondary' }], [renewed]],
    [
      'in the place of all that have its number',
      [makeDni('2'), makeTyped('TAX', '2'), older],
      [renewed, makeTyped('TAX', '2')],
    ],
    ['beside another that is not shown', [makeDni('2'), makeDni('4')], [renewed, makeDni('4')]],
    ['beside a former one', [former], [former, renewed]],
    ['beside one that has expired', [expired], [expired, renewed]],
  ])('is put %s', (_, identifier, expected) => {
    const after = applyChanges(makePatient({ identifier }), { identifier: { type: 'DNI', value: '3' } }, context);
    expect(after.identifier).toEqual(expected);
    expect(toPatient(after, context).identifier.value).toBe('3');
  });

  test('stays under the older system when the same is given again', () => {
    const before = makePatient({ identifier: [makeDni('2'), older] });
    const after = applyChanges(before, { identifier: { type: 'DNI', value: '2' } }, context);
    expect(after.identifier).toEqual([expect.objectContaining(makeDni('2')), older]);
  });

  test('is as former as before when one of another kind is given', () => {
    const before = makePatient({ identifier: [former, makeTyped('PPN', 'A1')] });
    const after = applyChanges(before, { identifier: { type: 'Passport', value: 'A2' } }, context);
    expect(after.identifier).toEqual([former, expect.objectContaining({ value: 'A2' })]);
  });
});

describe('the number of the clinical record', () => {
  test('is the one of the institution before any that is typed so', () => {
    expect(mapPatient({ identifier: [makeTyped('MR', 'other'), { system: mrn, value: 'HC-1' }] }).medicalRecordId).toBe(
      'HC-1',
    );
    expect(mapPatient({ identifier: [makeTyped('MR', 'other')] }).medicalRecordId).toBe('other');
    expect(mapPatient({}).medicalRecordId).toBe('');
  });

  test.each([{ use: 'old' }, { period: { end: '2020-05-01' } }])('is one in force before one with %j', (former) => {
    const identifier = [
      { system: mrn, value: 'HC-1', ...former },
      { system: mrn, value: 'HC-2' },
    ];
    expect(mapPatient({ identifier }).medicalRecordId).toBe('HC-2');
    expect(mapPatient({ identifier: identifier.slice(0, 1) }).medicalRecordId).toBe('HC-1');
  });

  const ours = makeTyped('MR', 'HC-1', mrn);
  const foreign = makeTyped('MR', 'OTHER-555');
  const renewed = makeTyped('MR', 'HC-2', mrn);

  test.each<[string, string, object[], object[]]>([
    ['replaces the one that is shown, not one of another hospital', 'HC-2', [foreign, ours], [foreign, renewed]],
    ['is added to one of another hospital', 'HC-2', [foreign], [foreign, renewed]],
    ['takes away the one that is shown when it is empty', '', [foreign, ours], [foreign]],
    ['takes away none of another hospital when it is empty', '', [foreign], [foreign]],
  ])('that is given %s', (_, medicalRecordId, identifier, expected) => {
    const before = makePatient({ identifier });
    expect(applyChanges(before, { medicalRecordId }, context).identifier).toEqual(expected);
  });

  test.each<[string, object[]]>([
    ['HC-2', [makeTyped('MR', 'HC-2', 'https://hia.example.org/fhir/sid/mrn')]],
    ['', []],
  ])('that is given as %j takes the place of any where the institution has named no system', (value, expected) => {
    const own = { ...context, codes: new Codes(settings.parse({ baseUrl: 'https://fhir.example.org' })) };
    const after = applyChanges(makePatient({ identifier: [foreign] }), { medicalRecordId: value }, own);
    expect(after.identifier).toEqual(expected);
  });
});

describe('the name of a patient', () => {
  test.each<[string, object[], [string, string]]>([
    [
      'the official one',
      [{ family: 'Old' }, { use: 'official', family: 'Paz', given: ['Ana', 'María'] }],
      ['Ana María', 'Paz'],
    ],
    ['not an old one', [{ use: 'old', family: 'Old' }, { family: 'Paz' }], ['', 'Paz']],
    ['of several family names', [{ family: ['Paz', 'Ruiz'] }], ['', 'Paz Ruiz']],
    [
      'of its halves where there is no whole',
      [
        {
          _family: {
            extension: [
              { url: 'http://hl7.org/fhir/StructureDefinition/humanname-mothers-family', valueString: 'Ruiz' },
              { url: 'http://hl7.org/fhir/StructureDefinition/humanname-fathers-family', valueString: 'Paz' },
            ],
          },
        },
      ],
      ['', 'Paz Ruiz'],
    ],
    ['empty where it is not known', [], ['', '']],
  ])('is %s', (_, name, [given, family]) => {
    expect(mapPatient({ name })).toMatchObject({ name: given, lastName: family });
  });
});

describe('how a patient is reached', () => {
  const telecom = [
    { system: 'phone', use: 'home', value: 'home' },
    { system: 'phone', use: 'mobile', value: 'second', rank: 2 },
    { system: 'phone', use: 'mobile', value: 'first', rank: 1 },
    { system: 'email', use: 'old', value: 'old@example.org' },
    { system: 'email', value: 'new@example.org' },
  ];

  test('is the mobile of the lowest rank, and an address that is not old', () => {
    expect(mapPatient({ telecom })).toMatchObject({ phone: 'first', email: 'new@example.org' });
  });

  test('changes in place, and an empty value takes it away', () => {
    const before = makePatient({ telecom });
    const after = applyChanges(before, { phone: 'x', email: '' }, context);
    expect(after.telecom?.map(({ value }) => value)).toEqual(['home', 'second', 'x', 'old@example.org']);
  });
});

describe('the rest of a patient', () => {
  test('is active unless it says otherwise', () => {
    expect(mapPatient({}).active).toBe(true);
    expect(mapPatient({ active: false }).active).toBe(false);
  });
});

describe('the address of a patient', () => {
  test('of home goes before others, and an old one does not count', () => {
    const address = [
      { use: 'old', city: 'Old' },
      { use: 'work', city: 'Work' },
      { use: 'home', line: ['x'], _line: [{ extension: [makePart('streetName', 'Home')] }] },
    ];
    expect(mapPatient({ address }).address).toEqual({ street: 'Home' });
    expect(mapPatient({ address: address.slice(0, 2) }).address).toEqual({ city: 'Work' });
  });
});
