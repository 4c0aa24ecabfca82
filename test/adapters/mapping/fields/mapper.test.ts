import { describe, expect, jest, test } from '@jest/globals';
import { parse } from 'yaml';
import { createMapper, type Mapper } from '../../../../adapters/mapping/fields/mapper.ts';
import { loadMapping } from '../../../../adapters/mapping/file/load.ts';
import { type MappingFile, mappingSchema } from '../../../../adapters/mapping/file/schema.ts';
import { type ThingName, things } from '../../../../adapters/mapping/file/things.ts';
import { nest, type SourceRecord } from '../../../../adapters/mapping/sources/source.ts';
import type { OmittedRecord } from '../../../../src/ports/index.ts';
import { Zone } from '../../../../src/toolkit/zone.ts';

const zone = new Zone('America/Argentina/Buenos_Aires');
const hospital = createMapper(loadMapping('test/support/mapping/hospital.yaml'), zone);
const clinic = createMapper(loadMapping('examples/mapping-sql/clinica.yaml'), zone);

/** Of a file with one thing and these fields. */
const createOf = (thing: ThingName, fields: string, codes = '{}'): Mapper =>
  createMapper(
    mappingSchema.parse(parse(`{ system: x, codes: ${codes}, ${thing}: { fields: ${fields} } }`)) as MappingFile,
    zone,
  );

/** What is read of the records, and what is left out. */
function read(mapper: Mapper, thing: ThingName, ...records: SourceRecord[]) {
  const omitted: OmittedRecord[] = [];
  return { found: mapper.read(thing, records, { omit: (record) => omitted.push(record) }), omitted };
}

const patient = {
  NUMERO: '1001',
  APENOM: 'NÚÑEZ, ANA',
  SEXO: '1',
  NACIMIENTO: '30/11/1985',
  TIPODOC: 'DNI',
  NRODOC: '05.465.466',
  BAJA: 'N',
};
const location = '{ id: A, name: B, address: { country: P } }';

describe('the patient of a hospital', () => {
  test('is read with the names in one element and a DNI with dots', () => {
    expect(read(hospital, 'patients', patient)).toEqual({
      omitted: [],
      found: [
        {
          id: '1001',
          name: 'ANA',
          lastName: 'NÚÑEZ',
          gender: 'Female',
          birthDate: '1985-11-30',
          identifier: { type: 'DNI', value: '5465466' },
          medicalRecordId: '',
          phone: '',
          email: '',
          active: true,
          address: {},
        },
      ],
    });
  });

  test.each([
    ['a code that the file does not have', { SEXO: '7' }, 'gender'],
    ['a day that does not exist', { NACIMIENTO: '30/02/1985' }, 'birthDate'],
    ['a year of two digits', { NACIMIENTO: '30/11/85' }, 'birthDate'],
    ['a document of an unknown type', { TIPODOC: 'XX' }, 'identifier/type'],
    ['an id that is no number', { NUMERO: 'x1' }, 'id'],
    ['a record where a text should be', { BAJA: { A: 'N' } }, 'active'],
  ])('is left out with %s, and the field is told', (_, broken, element) => {
    expect(read(hospital, 'patients', { ...patient, ...broken }, { ...patient, NUMERO: '2' })).toMatchObject({
      found: [{ id: '2' }],
      omitted: [{ resourceType: 'patients', element }],
    });
  });

  test.each([
    ['document', { NRODOC: '', TIPODOC: '' }, { identifier: { type: 'Other', value: '' } }],
    ['number of the document', { NRODOC: '' }, { identifier: { type: 'Other', value: '' } }],
    ['sex', { SEXO: '' }, { gender: '' }],
    ['birth date', { NACIMIENTO: '' }, { birthDate: '' }],
    ['known birth date', { NACIMIENTO: '00/00/1985' }, { birthDate: '' }],
  ])('is there without a %s', (_, lacking, shown) => {
    expect(read(hospital, 'patients', { ...patient, ...lacking })).toMatchObject({ omitted: [], found: [shown] });
  });

  test('is a bad answer when none fits, and nothing when there is none', () => {
    expect(() => read(hospital, 'patients', { ...patient, SEXO: '7' })).toThrow(
      expect.objectContaining({ kind: 'bad_answer' }),
    );
    expect(read(hospital, 'patients')).toEqual({ found: [], omitted: [] });
  });

  test('is identified to an operator who asks for it', () => {
    const omit = jest.fn();
    hospital.read('patients', [patient, { ...patient, NUMERO: '2', SEXO: '7' }], { omit });
    expect(omit.mock.calls).toEqual([[{ resourceType: 'patients', element: 'gender' }, '2']]);
  });
});

test('a coverage without a plan is there', () => {
  const mapper = createOf('coverages', '{ id: id, patientId: p, planId: plan, plan: texto }');
  expect(read(mapper, 'coverages', { id: '1', p: '2', plan: null, texto: 'Particular' })).toMatchObject({
    omitted: [],
    found: [{ id: '1', planId: '', plan: 'Particular' }],
  });
});

test('a path goes into a text that holds JSON', () => {
  const mapper = createOf('practitioners', '{ id: id, specialty: js.esp, phone: js.tels }');
  expect(
    read(mapper, 'practitioners', { id: '7', js: '{"esp":"Clínica","tels":["1","2"]}' }, { id: '8', js: '{x' }),
  ).toMatchObject({
    omitted: [],
    found: [{ specialty: 'Clínica', phone: '1 2' }, { specialty: '' }],
  });
});

test('a path into a text that holds JSON keeps all digits of a number', () => {
  const mapper = createOf('practitioners', '{ id: js.id }');
  expect(read(mapper, 'practitioners', { js: '{"id":18446744073709551615}' }).found).toMatchObject([
    { id: '18446744073709551615' },
  ]);
});

describe('records', () => {
  const row = {
    id: undefined,
    nro_turno: '7',
    inicio: '2026-12-01 08:20',
    minutos: '20',
    estado: 'R',
    virtual: 'N',
    cod_sede: '1',
    cod_prest: '3',
  };
  const toRow = (changes: object): SourceRecord => ({ ...row, id: null, ...changes });

  test('rows with one id are one record, whose lists merge in their order, each entry once', () => {
    const { found } = read(
      clinic,
      'appointments',
      toRow({ matricula: '12' }),
      toRow({ matricula: '11' }),
      toRow({ matricula: '12' }),
      toRow({ nro_turno: '8', matricula: null }),
      toRow({ nro_turno: '9', matricula: '13' }),
    );
    expect(found).toMatchObject([
      { id: '7', practitioners: [{ id: '12' }, { id: '11' }], services: [{ id: '3' }] },
      { id: '9', practitioners: [{ id: '13' }] },
    ]);
  });

  test('a record of which one row does not fit is left out as a whole, once', () => {
    const { found, omitted } = read(
      clinic,
      'appointments',
      toRow({ matricula: '12' }),
      toRow({ matricula: '11', estado: '?' }),
      toRow({ matricula: '11', minutos: 'x' }),
      toRow({ nro_turno: '9', matricula: '13' }),
    );
    expect(found).toMatchObject([{ id: '9' }]);
    expect(omitted).toEqual([{ resourceType: 'appointments', element: 'status' }]);
  });

  test('fields and entries of lists are read of what the record stands in, too', () => {
    const record = { nro: '1', inicio: '2026-12-01 10:00' };
    nest(record, { medico: { legajo: '7' }, sede: 'A' });
    const mapper = createOf(
      'appointments',
      `{ id: nro, start: inicio, minutes: { value: 20 }, status: { value: active },
         practitioners: { id: ../medico.legajo }, location: { id: ../sede }, services: { id: ../sede } }`,
    );
    expect(read(mapper, 'appointments', record).found).toMatchObject([
      { id: '1', practitioners: [{ id: '7' }], location: { id: 'A' }, services: [{ id: 'A' }] },
    ]);
  });

  test('rows with one id have the whole address of the first one, and no part of that of another', () => {
    const mapper = createOf('locations', '{ id: A, address: { street: S, floor: F } }');
    const [first, second] = [
      { A: '1', S: 'Maipú', F: null },
      { A: '1', S: 'Colón', F: '3' },
    ];
    expect(read(mapper, 'locations', first, second).found).toMatchObject([{ address: { street: 'Maipú' } }]);
    expect(read(mapper, 'locations', first, second).found).not.toMatchObject([{ address: { floor: '3' } }]);
    expect(read(mapper, 'locations', { A: '1', S: null, F: null }, second).found).toMatchObject([
      { address: { street: 'Colón', floor: '3' } },
    ]);
  });

  test('rows with one id have the first document with a number, with its own type', () => {
    const pending = { ...patient, TIPODOC: 'DNI', NRODOC: '' };
    const passport = { ...patient, TIPODOC: 'PAS', NRODOC: 'AAB1' };
    expect(read(hospital, 'patients', pending, passport, patient).found).toMatchObject([
      { identifier: { type: 'Passport', value: 'AAB1' } },
    ]);
  });

  test('rows with one id merge the lists of a location, whose other fields are those of the first row', () => {
    const mapper = createOf('entries', '{ location: { id: A, name: N, phones: { value: T } } }');
    const { found } = read(mapper, 'entries', { A: '1', N: 'x', T: '11' }, { A: '1', N: 'y', T: '22' });
    expect(found).toMatchObject([{ location: { name: 'x', phones: [{ value: '11' }, { value: '22' }] } }]);
  });

  test.each([
    ['true', 'false'],
    ['false', 'true'],
  ])('a slot is taken if one of its rows says so: %s, then %s', (...rows) => {
    const fields =
      '{ id: A, start: S, minutes: { value: 20 }, serviceId: A, practitionerId: A, locationId: A, free: F }';
    const records = rows.map((F) => ({ A: '1', S: '2026-12-01 08:20', F }));
    expect(read(createOf('slots', fields), 'slots', ...records).found).toMatchObject([{ free: false }]);
  });

  test('a row without any value is no record', () => {
    expect(read(createOf('locations', location), 'locations', { A: null, B: ' ', P: null })).toEqual({
      found: [],
      omitted: [],
    });
  });

  test('records without a readable id are not taken for one', () => {
    const lost = toRow({ nro_turno: '', matricula: '1' });
    expect(read(clinic, 'appointments', lost, lost, toRow({ matricula: '1' })).omitted).toHaveLength(2);
  });

  test('weekly schedules with one id stay several', () => {
    const fields = '{ id: A, weekday: D, from: F, to: T, minutes: M, serviceId: S, practitionerId: P, locationId: L }';
    const day = { A: '1', D: 'MONDAY', F: '08:00', T: '12:00', M: '20', S: '1', P: '1', L: '1' };
    const { found } = read(createOf('schedules', fields), 'schedules', day, { ...day, D: 'FRIDAY' });
    expect(found).toMatchObject([{ weekday: 'MONDAY', from: '08:00' }, { weekday: 'FRIDAY' }]);
  });

  test('entries of lists stand in records, in lists of values, or in one text', () => {
    const plans = (fields: string, record: SourceRecord) => {
      const mapper = createOf('services', `{ id: A, type: T, plans: ${fields} }`);
      return mapper.read('services', [{ A: '1', T: 'CONSULTA', ...record }], { omit: () => {} })[0]?.plans;
    };
    const both = [{ id: '1' }, { id: '2' }];
    expect(plans('{ id: P.PLAN.ID }', { P: { PLAN: [{ ID: '1' }, { X: '' }, { ID: '2' }] } })).toEqual(both);
    expect(plans('{ id: P }', { P: ['1', '2'] })).toEqual(both);
    expect(plans('{ id: { from: P, split: ; } }', { P: '1; 2;' })).toEqual(both);
    expect(plans('{ id: P }', { P: null })).toEqual([]);
    expect(plans('{ id: P.PLAN.ID }', {})).toEqual([]);
  });

  test('lists of lists keep what belongs together', () => {
    const fields = `{ location: { id: ID, phones: { type: TEL.TIPO, value: TEL.NRO } },
      providers: { id: PR.ID, type: { value: practitioner }, name: PR.NOMBRE, services: { id: PR.SERV.ID, name: PR.SERV.NOMBRE } } }`;
    const { found } = read(createOf('entries', fields), 'entries', {
      ID: '1',
      TEL: [{ NRO: '4444 5555' }, { TIPO: 'fax' }],
      PR: [
        { ID: '1', SERV: [{ ID: '3', NOMBRE: 'c' }, { ID: '4' }] },
        { ID: '2', NOMBRE: 'b', SERV: { ID: '5', NOMBRE: 'e' } },
      ],
    });
    expect(found).toMatchObject([
      {
        location: { id: '1', phones: [{ type: '', value: '4444 5555' }] },
        providers: [
          {
            id: '1',
            name: '',
            services: [
              { id: '3', name: 'c' },
              { id: '4', name: '' },
            ],
          },
          { id: '2', name: 'b', services: [{ id: '5', name: 'e' }] },
        ],
      },
    ]);
  });
});

describe('fields', () => {
  test('a code of a country becomes its name, and blanks around texts go', () => {
    expect(read(createOf('locations', location), 'locations', { A: ' 1 ', B: ' x ', P: 'AR' }).found).toEqual([
      { id: '1', name: 'x', address: { country: 'Argentina' } },
    ]);
  });

  test('several paths are joined, and what is empty leaves no gap', () => {
    const mapper = createOf('locations', "{ id: A, name: { from: [B, C.D, E], join: '-' } }");
    expect(read(mapper, 'locations', { A: '1', B: 'b', C: { D: '' }, E: ['e', 'f'] }).found).toMatchObject([
      { name: 'b-e-f' },
    ]);
  });

  test('times become instants of the zone, or are instants already', () => {
    const mapper = createOf('services', '{ id: A, type: { value: CONSULTA }, createdAt: C, updatedAt: U }');
    const { found } = read(mapper, 'services', { A: '1', C: '2026-12-01 08:20', U: '2026-12-01T08:20:00+02:00' });
    expect(found).toMatchObject([{ createdAt: '2026-12-01T11:20:00.000Z', updatedAt: '2026-12-01T06:20:00.000Z' }]);
  });

  test.each([
    ['18-999', { minAge: 18, maxAge: null }],
    ['0-17', { minAge: null, maxAge: 17 }],
    ['', { minAge: null, maxAge: null }],
  ])('ages of %s are cut out of one text, and some mean nothing', (EDADES, ages) => {
    const service = { CODIGO: '1', NOMBRE: 'x', TIPO: 'C', TURNO: 'S', AUTORIZA: 'N', EDADES };
    const mapper = createOf(
      'services',
      "{ id: CODIGO, type: { value: CONSULTA }, minAge: { from: EDADES, before: '-', none: [0] }, maxAge: { from: EDADES, after: '-', none: [999] } }",
    );
    expect(read(mapper, 'services', service).found).toMatchObject([ages]);
  });

  test.each([
    ['minAge: { from: V, none: [0] }', '0.00', 'minAge', null],
    ['minAge: { from: V, none: [0] }', '0.50', 'minAge', 0.5],
    ["createdAt: { from: V, none: ['1900-01-01 00:00'] }", '1900-01-01T00:00:00', 'createdAt', undefined],
    ['integrationId: { from: V, none: [0], numeric: true }', '000', 'integrationId', ''],
  ])('a value of none is absent in every form of it: %s of %s', (field, V, name, value) => {
    const mapper = createOf('services', `{ id: A, type: { value: CONSULTA }, ${field} }`);
    const [found] = read(mapper, 'services', { A: '1', V }).found;
    expect(found).toMatchObject({ id: '1' });
    expect(Object.entries(found!).find(([key]) => key === name)?.[1]).toBe(value);
  });

  test('a birth date of none is absent in a column of times', () => {
    const mapper = createOf(
      'patients',
      "{ id: A, birthDate: { from: V, none: ['1900-01-01'] }, identifier: { type: { value: DNI }, value: A } }",
    );
    const { found } = read(
      mapper,
      'patients',
      { A: '1', V: '1900-01-01 00:00:00' },
      { A: '2', V: '1985-11-30 00:00:00' },
    );
    expect(found).toMatchObject([{ birthDate: '' }, { birthDate: '1985-11-30' }]);
  });

  test('a day without its time is no start, and no midnight', () => {
    const slot = 'minutes: { value: 20 }, serviceId: A, practitionerId: A, locationId: A';
    const mapper = createOf('slots', `{ id: A, start: { from: [D, T] }, ${slot} }`);
    const records = [
      { A: '1', D: '2026-12-01', T: '08:20:00' },
      { A: '2', D: '2026-12-01', T: null },
    ];
    expect(read(mapper, 'slots', ...records)).toMatchObject({
      found: [{ id: '1', start: '2026-12-01T08:20:00' }],
      omitted: [{ resourceType: 'slots', element: 'start' }],
    });
  });

  test('a length is in whole minutes, also until the last second', () => {
    const fields = '{ id: A, start: S, minutes: M, serviceId: A, practitionerId: A, locationId: A }';
    const records = [{ A: '1', S: '2026-12-01 08:20', M: '19.983333333333334' }];
    expect(read(createOf('slots', fields), 'slots', ...records).found).toMatchObject([{ minutes: 20 }]);
  });

  test('an expression that does not suit a record leaves it out, without a word of the record', () => {
    const mapper = createOf('locations', '{ id: A, name: { expression: \'record.B.split(", ")[1]\' } }');
    expect(read(mapper, 'locations', { A: '1', B: 'x, y' }, { A: '2', B: 'x' })).toMatchObject({
      found: [{ id: '1', name: 'y' }],
      omitted: [{ resourceType: 'locations', element: 'name' }],
    });
  });

  test('a path finds the entries of a list that are meant, alone and in lists', () => {
    const phones = '{ from: "PHONES[MAIN=true].NUMBER" }';
    const record = {
      A: '1',
      PHONES: [
        { MAIN: false, NUMBER: '11', TYPE: 'home' },
        { MAIN: true, NUMBER: '22', TYPE: 'work' },
      ],
    };
    const patients = createOf('practitioners', `{ id: A, phone: ${phones}, email: { from: "PHONES[MAIN=2].NUMBER" } }`);
    expect(read(patients, 'practitioners', record).found).toMatchObject([{ phone: '22', email: '' }]);
    const list = '{ type: "PHONES[MAIN=true].TYPE", value: "PHONES[MAIN=true].NUMBER" }';
    const entries = createOf('entries', `{ location: { id: A, phones: ${list} } }`);
    expect(read(entries, 'entries', record).found).toMatchObject([
      { location: { phones: [{ type: 'work', value: '22' }] } },
    ]);
    const dotted = createOf('practitioners', `{ id: A, phone: 'PHONES[OF.TYPE=a.b].NUMBER' }`);
    const nested = [
      { OF: { TYPE: 'c' }, NUMBER: '1' },
      { OF: { TYPE: 'a.b' }, NUMBER: '2' },
    ];
    expect(read(dotted, 'practitioners', { A: '1', PHONES: nested }).found).toMatchObject([{ phone: '2' }]);
    const listed = createOf('entries', `{ location: { id: A, phones: { value: 'PHONES[OF.TYPE=a.b].NUMBER' } } }`);
    expect(read(listed, 'entries', { A: '1', PHONES: nested }).found).toMatchObject([
      { location: { phones: [{ value: '2' }] } },
    ]);
    const [one] = record.PHONES.slice(1);
    expect(read(patients, 'practitioners', { A: '1', PHONES: one! }).found).toMatchObject([{ phone: '22' }]);
  });

  test('an id that the path of a URL cannot carry is left out, unless it is encoded', () => {
    expect(() => read(createOf('locations', location), 'locations', { A: '12/5' })).toThrow();
    const encoded = createOf('locations', '{ id: { from: A, encode: true } }');
    expect(read(encoded, 'locations', { A: '12/5~ñ' }).found).toMatchObject([{ id: '12~2F5~7Eñ' }]);
  });
});

describe('values', () => {
  const { patients, slots, appointments } = things;
  const between = slots.questions.between;

  test('are written as the institution writes them', () => {
    const { byBirthDate } = patients.questions;
    expect(hospital.toValues(byBirthDate, { birthDate: '1985-11-30', gender: 'Other' })).toEqual({
      birthDate: ['30/11/1985'],
      gender: ['9'],
      identifier: [],
      identifierType: [],
    });
    const window = {
      from: '2026-12-01T00:00:00',
      to: '2026-12-02T23:59:00',
      fromDay: '2026-12-01',
      toDay: '2026-12-02',
      serviceId: '7',
    };
    expect(hospital.toValues(between, window)).toMatchObject({
      from: ['01/12/2026 00:00'],
      to: ['02/12/2026 23:59'],
      fromDay: ['01/12/2026'],
      toDay: ['02/12/2026'],
      serviceId: [7],
      locationId: [],
    });
  });

  test('have all codes of a word, the first one to be written first', () => {
    const document = { identifierType: 'Other', identifier: 'A1' };
    expect(clinic.toValues(patients.questions.byDocument, document)).toEqual({
      identifierType: ['OTR', 'LC', 'LE', 'CI'],
      identifier: ['A1'],
    });
  });

  test('have a DNI with zeros in front and without, and a passport as it is', () => {
    const write = (identifierType: string) =>
      clinic.toValues(patients.questions.byDocument, { identifierType, identifier: '5465466' })?.identifier;
    expect(write('DNI')).toEqual(['05465466', '5465466']);
    expect(write('Passport')).toEqual(['5465466']);
  });

  test.each(['ana', '01', '1.5', '-1', ' 1', "1' OR '1'='1"])(
    'there are none for the id %s where ids are numbers',
    (id) => {
      expect(hospital.toValues(patients.questions.byId, { id })).toBeUndefined();
    },
  );

  test('there are none for a word without a code', () => {
    const mapper = createOf('patients', '{ gender: { from: A, codes: { F: Female, M: Male } } }');
    const { byBirthDate } = patients.questions;
    expect(mapper.toValues(byBirthDate, { gender: 'Other' })).toBeUndefined();
    expect(mapper.toValues(byBirthDate, { gender: 'Male' })).toMatchObject({ gender: ['M'] });
  });

  test('of slots are their numbers, or their ids where they have no other', () => {
    const { book } = appointments.changes;
    const booking = {
      slotIds: ['7', '8'],
      firstSlotId: '7',
      authorization: true,
      minutes: 20,
      start: '2026-12-01T08:20:00',
    };
    expect(clinic.toValues(book, booking)).toMatchObject({ slotIds: [7, 8], firstSlotId: [7], authorization: ['S'] });
    expect(hospital.toValues(book, { slotIds: ['1-20'] })).toMatchObject({ slotIds: ['1-20'] });
    expect(hospital.toValues(book, { ...booking, startDay: booking.start, startTime: booking.start })).toMatchObject({
      start: ['01/12/2026 08:20'],
      startDay: ['01/12/2026'],
      startTime: ['08:20'],
      minutes: [20],
    });
  });

  test('an encoded id is written as the institution has it, and another spelling is nobody’s', () => {
    const mapper = createOf('patients', '{ id: { from: A, encode: true } }');
    const write = (id: string) => mapper.toValues(patients.questions.byId, { id })?.id;
    expect(write('12~2F5~7Eñ')).toEqual(['12/5~ñ']);
    for (const id of ['12~2f5', '12~', '~FF', '12%2F5']) expect(write(id)).toBeUndefined();
  });

  test('without a file’s word for a field are as they are', () => {
    const mapper = createOf('locations', location);
    expect(
      mapper.toValues(patients.changes.create, { birthDate: '1985-11-30', phone: '', gender: 'Male' }),
    ).toMatchObject({
      birthDate: ['1985-11-30'],
      phone: [''],
      gender: ['Male'],
      email: [],
    });
  });
});
