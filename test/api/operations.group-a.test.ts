import { describe, expect, test } from '@jest/globals';
import { Failure } from '../../src/ports/index.ts';
import { createFakePort, getRejection, performOperation } from '../support/fake-port.ts';

describe('bookAppointment', () => {
  const body = { health_care_service_id: 'consulta', practitioner_id: 'paz', date: '2026-12-01T09:20:00' };

  test('answers with an empty body and the place of the new appointment, safe in a URL', async () => {
    const { port, asked } = createFakePort({ book: () => ({ id: 'turno:1&ü' }) });
    const answer = await performOperation('bookAppointment', port, { params: { id: 'ana+1' }, body });
    expect(answer).toEqual({
      status: 201,
      body: {},
      location: '/patients/ana%2B1/appointments/turno%3A1%26%C3%BC',
      created: 'turno:1&ü',
    });
    expect(asked).toEqual([
      ['book', 'ana+1', { serviceId: 'consulta', practitionerIds: ['paz'], start: '2026-12-01T09:20:00' }],
    ]);
  });

  test.each([
    ['serviceId', 'body /health_care_service_id'],
    ['practitionerIds', 'body /practitioner_id'],
    ['coverageId', 'body /health_insurance_id'],
    ['start', 'body /date'],
  ])('shows a fault at %s where the caller wrote it', async (at, place) => {
    const { port } = createFakePort({ book: () => Promise.reject(new Failure('invalid', 'does not exist', { at })) });
    expect(await getRejection('bookAppointment', port, { params: { id: 'ana' }, body })).toEqual(['validation', place]);
  });

  test.each([
    '2026-02-30T09:20:00',
    '0000-02-29T09:20:00',
    '2026-12-01T09:20',
    '2026-12-01T24:00:00',
    '2026-12-01T09:20:00Z',
  ])('refuses the date %s with one fault', async (date) => {
    const request = { params: { id: 'ana' }, body: { ...body, date } };
    expect(await getRejection('bookAppointment', {}, request)).toEqual(['validation', 'body /date']);
  });
});

describe('cancelAppointment', () => {
  test('refuses every status but canceled, and names it', async () => {
    const request = { params: { id: 'ana', appointment_id: 'turno' }, body: { status: 'active' } };
    expect(await getRejection('cancelAppointment', {}, request)).toEqual(['validation', 'body /status']);
    const faults = [{ in: 'body', at: '/status', message: 'must be canceled' }];
    await expect(performOperation('cancelAppointment', {}, request)).rejects.toMatchObject({ details: { faults } });
  });
});

describe('listPlans', () => {
  test.each(['osde', 'Swiss Medical', 'Acción Social', 'Accio\u0301n Social'])(
    'takes %s for the carrier',
    async (id) => {
      const { port, asked } = createFakePort({ plans: () => [{ id: 'p', name: '210', active: false }] });
      const { body } = await performOperation('listPlans', port, { params: { id } });
      expect(body).toEqual({ health_insurance_plans: [{ id: 'p', plan: '210', active: 'false' }] });
      expect(asked).toEqual([['plans', id]]);
    },
  );

  test('takes a name that is composed otherwise than that of the carrier', async () => {
    const plans = (name: string) =>
      name === 'Acción' ? [] : Promise.reject(new Failure('not_found', 'there is no such carrier'));
    const { port, asked } = createFakePort({ plans });
    const { body } = await performOperation('listPlans', port, { params: { id: 'Accio\u0301n' } });
    expect(body).toEqual({ health_insurance_plans: [] });
    expect(asked.map(([, name]) => name)).toEqual(['Accio\u0301n', 'Acción']);
    expect(await getRejection('listPlans', port, { params: { id: 'Otra' } })).toEqual(['not_found']);
  });

  test.each(['..', '.', ' ', 'a/b', 'a\\b', 'a?b', 'a%2fb', 'a\u0000'])('knows no carrier %j', async (id) => {
    expect(await getRejection('listPlans', {}, { params: { id } })).toEqual(['not_found']);
  });
});

describe('searchPatients', () => {});

describe('registerPatient', () => {
  test('knows the letters of a document however they are composed', async () => {
    const { port, asked } = createFakePort({ register: () => Promise.reject(new Failure('unsupported', 'no')) });
    for (const identifier of ['Ñ-123', 'N\u0303-123']) {
      const body = { birth_date: '1990/02/28', identifier_type: 'Passport', identifier, gender: 'Female' };
      expect(await getRejection('registerPatient', port, { body })).toEqual(['not_implemented']);
    }
    expect(asked[1]).toEqual(asked[0]);
  });

  test.each([
    ['4011122.0', 4011122],
    ['1e7', 10_000_000],
    ['"4.011.122"', 4011122],
    ['4011122.5', 'refused'],
    ['1e21', 'refused'],
    ['9007199254740993', 'refused'],
    ['-4011122', 'refused'],
    ['"4011122.0"', 'refused'],
    ['"401112²0"', 'refused'],
    ['"4011122e1"', 'refused'],
    ['"-4011122"', 'refused'],
    ['"4011-1220"', 'refused'],
  ])('takes the DNI %s of a JSON body as %s', async (json, expected) => {
    const { port, asked } = createFakePort({ register: () => Promise.reject(new Failure('unsupported', 'no')) });
    const identifier: unknown = JSON.parse(json);
    const body = { birth_date: '1990/02/28', identifier_type: 'DNI', identifier, gender: 'Female' };
    const isRefused = expected === 'refused';
    expect(await getRejection('registerPatient', port, { body })).toEqual(
      isRefused ? ['validation', 'body /identifier'] : ['not_implemented'],
    );
    const value = { identifier: { type: 'DNI', value: String(expected) } };
    expect(asked).toEqual(isRefused ? [] : [['register', expect.objectContaining(value)]]);
  });

  test('says of each field whether it is missing, wrong or unknown', async () => {
    const body = { birth_date: '1990/02/31', identifier: '¿secreto?', gender: 'secreta', apodo: 'secreto' };
    const [identifier, gender] = [/^must have 1 to 40 letters and digits/, /^must be one of Male/];
    await expect(performOperation('registerPatient', {}, { body })).rejects.toMatchObject({
      details: {
        faults: [
          { in: 'body', at: '/birth_date', message: 'must be a date that exists' },
          { in: 'body', at: '/identifier_type', message: 'is required' },
          { in: 'body', at: '/identifier', message: expect.stringMatching(identifier) },
          { in: 'body', at: '/gender', message: expect.stringMatching(gender) },
          { in: 'body', at: '/apodo', message: 'is an unknown field' },
        ],
      },
    });
  });
});
