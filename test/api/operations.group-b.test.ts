import { describe, expect, test } from '@jest/globals';
import { createFakePort, getRejection, performOperation } from '../support/fake-port.ts';

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
    expect(answer).toEqual({ status: 201, body: { status: 'booked', model: { id: 'turno' } }, created: 'turno' });
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
    [{ patientId: null }, '/patientId'],
    [{ appointmentStart: '9:40' }, '/appointmentStart'],
  ])('refuses %j', async (wrong, at) => {
    const request = { body: { ...body, ...wrong } };
    expect(await getRejection('createAppointment', {}, request)).toEqual(['validation', `body ${at}`]);
  });
});

describe('editCoverage', () => {
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

  test('sorts by id', async () => {
    expect(await idsFor({ sortProperty: 'id' })).toEqual(['c1', 'c2', 'c10']);
    expect(await idsFor({ sortProperty: 'id', sortDirection: 'DESC' })).toEqual(['c10', 'c2', 'c1']);
  });
});
