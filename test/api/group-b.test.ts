import { describe, expect, test } from '@jest/globals';
import { type Appointment, Failure, type Slot } from '../../src/ports/index.ts';
import { createFakePort, getRejection, performOperation } from '../support/fake-port.ts';

const makeSlot = (start: string, minutes = 20): Slot => ({
  id: `paz.${start}`,
  start,
  minutes,
  serviceId: 'consulta',
  practitionerId: 'paz',
  locationId: 'central',
  modality: 'in-person',
});

describe('getAvailableSlots', () => {
  /** 30 November 2026 is a Monday. */
  const slots = [
    makeSlot('2026-11-30T08:40:00'),
    makeSlot('2026-11-30T09:00:00'),
    makeSlot('2026-12-01T11:40:00'),
    makeSlot('2026-12-01T11:50:00'),
    makeSlot('2026-12-06T09:00:00'),
  ];

  /** As it is asked for by default. */
  const page = { page: 0, limit: 10 };

  const found = async (body: object) => {
    const { port, asked } = createFakePort({ slots: () => ({ items: slots, total: slots.length }) });
    const answer = await performOperation('getAvailableSlots', port, { body: { hcsId: 'consulta', ...body } });
    const { data } = answer.body as { data: { appointmentDate: string; appointmentStart: string }[] };
    return { asked, starts: data.map((row) => `${row.appointmentDate.slice(5)} ${row.appointmentStart}`) };
  };

  test('narrows to the days of the week', async () => {
    expect((await found({ dateConfig: { daysOfWeek: ['MONDAY', 'SUNDAY'] } })).starts).toEqual([
      '11-30 08:40',
      '11-30 09:00',
      '12-06 09:00',
    ]);
  });

  test('narrows to slots that lie wholly between the hours', async () => {
    expect((await found({ dateConfig: { hourFrom: '09:00', hourTo: '12:00' } })).starts).toEqual([
      '11-30 09:00',
      '12-01 11:40',
      '12-06 09:00',
    ]);
  });

  test.each([{}, { dateConfig: {} }, { dateConfig: { daysOfWeek: [] } }, { appointmentRequired: false }])(
    'finds every slot with %j',
    async (body) => {
      expect((await found(body)).starts).toHaveLength(slots.length);
    },
  );

  test('asks the port for any where the request says null', async () => {
    const { asked } = await found({ practitionerId: null, modalityVirtual: null, locationId: null });
    expect(asked).toEqual([['slots', { serviceId: 'consulta', page }]]);
  });

  test.each([
    [true, 'virtual'],
    [false, 'in-person'],
  ])('asks the port for modality %s as %s', async (modalityVirtual, modality) => {
    expect((await found({ modalityVirtual })).asked).toEqual([['slots', { serviceId: 'consulta', modality, page }]]);
  });

  test('takes a range of 62 days', async () => {
    const { asked } = await found({ dateConfig: { dateFrom: '2026-12-01', dateTo: '2027-01-31' } });
    expect(asked).toEqual([['slots', { serviceId: 'consulta', from: '2026-12-01', to: '2027-01-31', page }]]);
  });

  test.each([
    [{ dateFrom: '2026-12-01', dateTo: '2027-02-01' }, 'dateTo'],
    [{ dateFrom: '2026-12-02', dateTo: '2026-12-01' }, 'dateTo'],
    [{ hourFrom: '12:00', hourTo: '09:00' }, 'hourTo'],
    [{ daysOfWeek: ['monday'] }, 'daysOfWeek/0'],
    [{ dateFrom: null }, 'dateFrom'],
    [{ dateFrom: '2026/12/01' }, 'dateFrom'],
  ])('refuses the dates %j', async (dateConfig, at) => {
    const request = { body: { hcsId: 'consulta', dateConfig } };
    const place = `body /dateConfig/${at}`;
    expect(await getRejection('getAvailableSlots', {}, request)).toEqual(['validation', place]);
  });

  test('answers with the documented row', async () => {
    const { port } = createFakePort({ slots: () => ({ items: [makeSlot('2026-11-30T09:00:00')], total: 1 }) });
    expect((await performOperation('getAvailableSlots', port, { body: { hcsId: 'consulta' } })).body).toEqual({
      data: [
        {
          appointmentId: 'paz.2026-11-30T09:00:00',
          hcsId: 'consulta',
          practitionerId: 'paz',
          locationId: 'central',
          appointmentDate: '2026-11-30',
          appointmentStart: '09:00',
          minutesDuration: '20',
          modality: 'in-person',
        },
      ],
      pagination: { totalPages: 1, totalElements: 1, page: 0, limit: 10, numberOfElements: 1 },
    });
  });
});

describe('getAppointment', () => {
  const appointment: Appointment = {
    id: 'turno',
    patientId: 'ana',
    start: '2026-12-01T09:20:00',
    minutes: 20,
    status: 'canceled',
    modality: 'virtual',
    cancelable: false,
    practitioners: [
      { id: 'paz', name: 'Dra. Julia Paz' },
      { id: 'vidal', name: 'Dr. Andrés Vidal' },
    ],
    location: { id: 'central', name: 'Sede Central' },
    services: [{ id: 'consulta', name: 'Consulta' }],
  };

  test('lets the port filter, sort and cut the page', async () => {
    const { port, asked } = createFakePort({ list: () => ({ items: [appointment], total: 12 }) });
    const query = {
      patientId: 'ana',
      dateFrom: '2026-12-01',
      appointmentStatus: 'canceled',
      sortDirection: 'DESC',
      page: '1',
    };
    const { body } = await performOperation('getAppointment', port, { query });
    const page = { page: 1, limit: 10 };
    expect(asked).toEqual([['list', 'ana', { from: '2026-12-01', status: 'canceled', order: 'descending', page }]]);
    expect(body).toEqual({
      data: [
        {
          id: 'turno',
          patientId: 'ana',
          practitionersIds: ['paz', 'vidal'],
          hcsId: 'consulta',
          appointmentDate: '2026-12-01',
          appointmentStart: '09:20',
          minutesDuration: '20',
          appointmentStatus: 'canceled',
          modality: 'virtual',
          patientCoverageId: null,
          copay: null,
          authorization: null,
          locationId: 'central',
        },
      ],
      pagination: { totalPages: 2, totalElements: 12, page: 1, limit: 10, numberOfElements: 1 },
    });
  });
});

describe('createAppointment', () => {
  const body = {
    patientId: 'ana',
    practitionersIds: ['paz'],
    hcsId: 'consulta',
    appointmentDate: '2026-12-02',
    appointmentStart: '09:40',
  };

  test.each(['40', 40])('books with the duration %j', async (minutesDuration) => {
    const { port, asked } = createFakePort({ book: () => ({ id: 'turno' }) });
    const answer = await performOperation('createAppointment', port, { body: { ...body, minutesDuration } });
    expect(answer).toEqual({ status: 201, body: { status: 'booked', model: { id: 'turno' } } });
    expect(asked).toEqual([
      ['book', 'ana', { serviceId: 'consulta', practitionerIds: ['paz'], start: '2026-12-02T09:40:00', minutes: 40 }],
    ]);
  });

  test.each([
    [{ minutesDuration: '0' }, '/minutesDuration'],
    [{ minutesDuration: 1.5 }, '/minutesDuration'],
    [{ minutesDuration: 'veinte' }, '/minutesDuration'],
    [{ practitionersIds: [] }, '/practitionersIds'],
    [{ practitionersIds: ['paz', 'paz'] }, '/practitionersIds'],
    [{ practitionersIds: 'paz' }, '/practitionersIds'],
    [{ copay: -1 }, '/copay'],
    [{ copay: '1' }, '/copay'],
    [{ authorization: 'true' }, '/authorization'],
    [{ patientCoverageId: null }, '/patientCoverageId'],
    [{ appointmentStart: '9:40' }, '/appointmentStart'],
  ])('refuses %j', async (wrong, at) => {
    const request = { body: { ...body, ...wrong } };
    expect(await getRejection('createAppointment', {}, request)).toEqual(['validation', `body ${at}`]);
  });

  test('shows that an offer does not agree where the caller named it', async () => {
    const failure = new Failure('invalid', 'the offer is of another service', { at: 'slotId' });
    const { port } = createFakePort({ book: () => Promise.reject(failure) });
    expect(await getRejection('createAppointment', port, { body })).toEqual(['validation', 'body /appointmentId']);
  });
});

describe('editCoverage', () => {
  test('needs at least one field', async () => {
    const request = { params: { coverageId: 'ana-osde' }, body: {} };
    expect(await getRejection('editCoverage', {}, request)).toEqual(['validation', 'body ']);
  });

  test('takes the credential as a number', async () => {
    const { port, asked } = createFakePort({ edit: () => undefined });
    const request = { params: { coverageId: 'ana-osde' }, body: { credentialNumber: 123 } };
    expect((await performOperation('editCoverage', port, request)).body).toEqual({
      status: 'updated',
      model: { id: 'ana-osde' },
    });
    expect(asked).toEqual([['edit', 'ana-osde', { credentialNumber: '123' }]]);
  });
});

describe('getInsuranceCarriers', () => {
  const carriers = [
    { id: 'c2', name: 'Óptima', active: true },
    { id: 'c10', name: 'OSDE', active: true },
    { id: 'c1', name: 'Galeno', active: true },
    { id: 'c3', name: 'Antigua', active: false },
  ];
  const idsFor = async (query: Record<string, string>) => {
    const { port } = createFakePort({ carriers: () => carriers });
    const { body } = await performOperation('getInsuranceCarriers', port, { query });
    return (body as { data: { id: string }[] }).data.map(({ id }) => id);
  };

  test('has the order of the port, which is by name, or turns it round', async () => {
    expect(await idsFor({})).toEqual(['c2', 'c10', 'c1']);
    expect(await idsFor({ sortDirection: 'DESC' })).toEqual(['c1', 'c10', 'c2']);
  });

  test('sorts by id', async () => {
    expect(await idsFor({ sortProperty: 'id' })).toEqual(['c1', 'c2', 'c10']);
    expect(await idsFor({ sortProperty: 'id', sortDirection: 'DESC' })).toEqual(['c10', 'c2', 'c1']);
  });

  test('searches without regard to accents', async () => {
    expect(await idsFor({ search: 'optima' })).toEqual(['c2']);
  });

  test('gives the owner to the port, in the variant that has one', async () => {
    const { port, asked } = createFakePort({ carriers: () => carriers });
    await performOperation('getInsuranceCarriers', port, { query: { ownerId: 'otro' } });
    await performOperation('getInsuranceCarriersByOwner', port, { query: { ownerId: 'otro' } });
    expect(asked).toEqual([
      ['carriers', {}],
      ['carriers', { ownerId: 'otro' }],
    ]);
  });
});

describe('health care services', () => {
  const service = (id: string, name: string, type: 'CONSULTA' | 'PRACTICA') => ({
    id,
    name,
    type,
    description: '',
    appointmentRequired: true,
    requiresAuthorization: false,
    practitionerId: '',
  });
  const services = [
    service('s2', 'Pediatría', 'CONSULTA'),
    service('s1', 'Ecografía', 'PRACTICA'),
    service('s3', 'Clínica', 'CONSULTA'),
  ];
  const idsFor = async (name: string, more: Record<string, string>) => {
    const { port } = createFakePort({ available: () => services, frequent: () => services });
    const query = { patientId: 'ana', patientCoverageId: 'ana-osde', ...more };
    const { body } = await performOperation(name, port, { query });
    return (body as { data: { id: string }[] }).data.map(({ id }) => id);
  };

  test('keep the order of the port', async () => {
    expect(await idsFor('getFrequentHcs', {})).toEqual(['s2', 's1', 's3']);
  });

  test('are narrowed by name, type and id', async () => {
    expect(await idsFor('getHealthCareService', { search: 'PEDIATRIA' })).toEqual(['s2']);
    expect(await idsFor('getHealthCareService', { type: 'PRACTICA' })).toEqual(['s1']);
    expect(await idsFor('getHealthCareService', { hcsId: 's3' })).toEqual(['s3']);
    expect(await idsFor('getHealthCareService', { hcsId: 'nothing' })).toEqual([]);
  });

  test('are narrowed by type only in the variant that has one', async () => {
    expect(await idsFor('getFrequentHcs', { type: 'PRACTICA' })).toHaveLength(3);
    expect(await idsFor('getFrequentHcsByType', { type: 'PRACTICA' })).toEqual(['s1']);
    expect(await idsFor('getFrequentHcsByType', {})).toHaveLength(3);
  });

  test('need a patient and a coverage', async () => {
    const faults = ['validation', 'query /patientCoverageId', 'query /patientId'];
    expect(await getRejection('getFrequentHcs', {}, {})).toEqual(faults);
  });
});
