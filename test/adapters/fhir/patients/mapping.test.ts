import { describe, expect, test } from '@jest/globals';
import { formatAddress, pickName, toAddress, toFhirAddress } from '../../../../adapters/fhir/datatypes/person.ts';
import { toPatient } from '../../../../adapters/fhir/patients/read.ts';
import { toElements, toFhirPatient } from '../../../../adapters/fhir/patients/write.ts';
import { formatPractitionerName } from '../../../../adapters/fhir/practitioners/read.ts';
import { parseResource } from '../../../../adapters/fhir/rest/decode.ts';
import type { Resource } from '../../../../adapters/fhir/schema/resources.ts';
import { Codes } from '../../../../adapters/fhir/schema/terminology.ts';
import { settings } from '../../../../adapters/fhir/settings.ts';
import type { PatientChanges } from '../../../../src/ports/index.ts';

const mrn = 'https://hospital.example.org/hc';
const codes = new Codes(settings.parse({ baseUrl: 'https://fhir.example.org', systems: { mrn: [mrn] } }));
const dni = (value: string) => ({ system: 'http://www.renaper.gob.ar/dni', value });
const typed = (code: string, value: string, system = 'https://other.example.org') => ({
  system,
  value,
  type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code }] },
});
const patient = (rest: object) => {
  const sent = JSON.stringify({ resourceType: 'Patient', id: 'p', birthDate: '1985-11-30', ...rest });
  return parseResource('Patient', JSON.parse(sent));
};
const applyChanges = (before: Resource<'Patient'>, changes: PatientChanges, own: Codes) =>
  patient({ ...before, ...toElements(before, changes, own) });
const mapped = (rest: object) => toPatient(patient(rest), codes);
const part = (name: string, valueString: string) => ({
  url: `http://hl7.org/fhir/StructureDefinition/iso21090-ADXP-${name}`,
  valueString,
});

describe('the document of identity of a patient', () => {
  test.each<[string, object[], object]>([
    ['a DNI before a passport', [typed('PPN', 'aab 123'), dni('31465466')], { type: 'DNI', value: '31465466' }],
    ['a DNI without dots and leading zeros', [dni('06.543.210')], { type: 'DNI', value: '6543210' }],
    ['a DNI of the older system', [{ system: 'http://renaper.gob.ar/dni', value: '1' }], { type: 'DNI', value: '1' }],
    ['a passport of any country', [typed('PPN', 'aab 123')], { type: 'Passport', value: 'AAB123' }],
    [
      'another typed number before an untyped one',
      [{ value: 'X1' }, typed('TAX', '20-1')],
      { type: 'Other', value: '20-1' },
    ],
    ['no number of a record', [typed('MR', 'HC-1')], { type: 'Other', value: '' }],
    [
      'no secondary one before another',
      [{ ...dni('1'), use: 'secondary' }, typed('PPN', 'A1')],
      { type: 'Passport', value: 'A1' },
    ],
  ])('is %s', (_, identifier, expected) => {
    expect(mapped({ identifier }).identifier).toEqual(expected);
  });

  test('is replaced by one of its kind in its place', () => {
    const before = patient({ identifier: [{ ...dni('1'), period: { start: '2001' } }, typed('TAX', '20-1')] });
    const { identifier } = applyChanges(before, { identifier: { type: 'DNI', value: '2' } }, codes);
    expect(identifier?.map(({ value }) => value)).toEqual(['2', '20-1']);
  });

  test('stays on record as a secondary one when one of another kind takes its place', () => {
    const before = patient({ identifier: [dni('1')] });
    const after = applyChanges(before, { identifier: { type: 'Passport', value: 'A1' } }, codes);
    expect(toPatient(after, codes).identifier).toEqual({ type: 'Passport', value: 'A1' });
    expect(after.identifier?.[0]).toEqual({ ...dni('1'), use: 'secondary' });
  });
});

describe('the number of the clinical record', () => {
  test('is the one of the institution before any that is typed so', () => {
    expect(mapped({ identifier: [typed('MR', 'other'), { system: mrn, value: 'HC-1' }] }).medicalRecordId).toBe('HC-1');
    expect(mapped({ identifier: [typed('MR', 'other')] }).medicalRecordId).toBe('other');
    expect(mapped({}).medicalRecordId).toBe('');
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
    expect(mapped({ name })).toMatchObject({ name: given, lastName: family });
  });

  test('changes in one part and keeps the other', () => {
    const before = patient({ name: [{ use: 'usual', family: 'Paz', given: ['Ana'], period: { start: '2001' } }] });
    const { name } = applyChanges(before, { lastName: 'Sosa' }, codes);
    expect(name).toEqual([
      { use: 'usual', family: 'Sosa', given: ['Ana'], text: 'Ana Sosa', period: { start: '2001' } },
    ]);
  });
});

describe('a practitioner', () => {
  const name = [{ text: 'PAZ JULIA', family: 'Paz', given: ['Julia'], prefix: ['Dra.'] }];

  test.each([
    ['text', 'PAZ JULIA'],
    ['given-first', 'Dra. Julia Paz'],
    ['family-first', 'Dra. Paz Julia'],
  ] as const)('is called by %s as %s', (order, words) => {
    expect(formatPractitionerName(name, order)).toBe(words);
  });

  test('without a name is called nothing', () => {
    expect(formatPractitionerName(undefined, 'text')).toBe('');
    expect(pickName([])).toBeUndefined();
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
    expect(mapped({ telecom })).toMatchObject({ phone: 'first', email: 'new@example.org' });
  });

  test('changes in place, and an empty value takes it away', () => {
    const before = patient({ telecom });
    const after = applyChanges(before, { phone: 'x', email: '' }, codes);
    expect(after.telecom?.map(({ value }) => value)).toEqual(['home', 'second', 'x', 'old@example.org']);
  });
});

describe('the rest of a patient', () => {
  test.each([
    ['male', 'Male'],
    ['female', 'Female'],
    ['other', 'Other'],
    ['unknown', 'Other'],
    [undefined, 'Other'],
  ])('has of the gender %s %s', (gender, expected) => {
    expect(mapped({ ...(gender && { gender }) }).gender).toBe(expected);
  });

  test('is active unless it says otherwise', () => {
    expect(mapped({}).active).toBe(true);
    expect(mapped({ active: false }).active).toBe(false);
  });

  test.each(['1985', '1985-11', undefined])('with the birth date %s cannot be said in the API', (birthDate) => {
    expect(() => toPatient(patient({ birthDate }), codes)).toThrow('cannot be used');
  });

  test('survives what changes, also where we do not know it', () => {
    const before = patient({ maritalStatus: { text: 'x' }, extension: [{ url: 'u', valueString: 'v' }] });
    expect(applyChanges(before, { gender: 'Male' }, codes)).toEqual({ ...before, gender: 'male' });
  });

  test('is as it was registered', () => {
    const person = {
      identifier: { type: 'DNI', value: '31465466' },
      birthDate: '1985-11-30',
      gender: 'Female',
      name: 'Ana María',
      lastName: 'Ferreyra',
      phone: '+54 9 11 5555-0101',
      email: 'ana@example.org',
      medicalRecordId: 'HC-1',
      address: { street: 'Rivadavia', number: '5480', floor: '6', apartment: 'B', city: 'CABA', zipCode: '1424' },
    } as const;
    const written = patient(toFhirPatient(person, codes));
    expect(toPatient(written, codes)).toEqual({ id: 'p', active: true, ...person });
  });
});

describe('an address', () => {
  const whole = {
    street: 'Av. Rivadavia',
    number: '5480',
    floor: '6',
    apartment: 'B',
    city: 'Buenos Aires',
    state: 'CABA',
    zipCode: '1424',
    country: 'Argentina',
  };

  test.each([
    whole,
    { street: 'Rivadavia' },
    { city: 'Quilmes' },
    { number: '3', floor: '1' },
    { street: 'A', apartment: 'D' },
    {},
  ])('survives being written and read: %j', (address) => {
    expect(toAddress(toFhirAddress(address))).toEqual(address);
  });

  test('has its parts where others put them too', () => {
    const extension = [
      part('streetName', 'Boedo'),
      part('houseNumber', '742'),
      part('additionalLocator', '1'),
      part('unitID', 'A'),
    ];
    const line = ['Boedo 742 1 A'];
    expect(toAddress({ line, _line: [{ extension }] })).toEqual({
      street: 'Boedo',
      number: '742',
      floor: '1',
      apartment: 'A',
    });
    expect(toFhirAddress({ street: 'Boedo', number: '742', floor: '1', apartment: 'A' })._line).toEqual([
      { extension },
    ]);
  });

  test('of home is replaced, and others stay', () => {
    const address = [{ use: 'work', city: 'Work' }, { use: 'home', city: 'Home' }, { city: 'Somewhere' }];
    const after = applyChanges(patient({ address }), { address: { city: 'New' } }, codes);
    expect(after.address).toEqual([
      { use: 'home', city: 'New' },
      { use: 'work', city: 'Work' },
    ]);
  });

  test('has a line that people can read', () => {
    expect(toFhirAddress(whole).line).toEqual(['Av. Rivadavia 5480, Piso 6, Dto B']);
    expect(formatAddress(toFhirAddress(whole))).toBe('Av. Rivadavia 5480, Piso 6, Dto B, Buenos Aires, CABA');
    expect(formatAddress({ text: 'As it stands' })).toBe('As it stands');
  });

  test('without parts is one street, which is not guessed apart', () => {
    expect(toAddress({ line: ['Chacabuco 1167, 3 D', 'Fondo'] })).toEqual({ street: 'Chacabuco 1167, 3 D, Fondo' });
  });

  test('reads the code of the country as its name', () => {
    expect(toAddress({ country: 'AR' })).toEqual({ country: 'Argentina' });
    expect(toAddress({ country: 'Uruguay' })).toEqual({ country: 'Uruguay' });
  });

  test('of home goes before others, and an old one does not count', () => {
    const address = [
      { use: 'old', city: 'Old' },
      { use: 'work', city: 'Work' },
      { use: 'home', line: ['x'], _line: [{ extension: [part('streetName', 'Home')] }] },
    ];
    expect(mapped({ address }).address).toEqual({ street: 'Home' });
    expect(mapped({ address: address.slice(0, 2) }).address).toEqual({ city: 'Work' });
  });
});
