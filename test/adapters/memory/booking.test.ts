import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../../src/ports/index.ts';
import { makeCall, makeSmallWorld, now, openHospital } from './small-world.ts';

type Hospital = ReturnType<typeof openHospital>;

const wanted = { serviceId: 'clinica', practitionerIds: ['paz'], start: '2026-10-19T09:00:00' } as const;

const book = (hospital: Hospital, booking: Partial<Booking> = {}, patient = 'bruno', moment = now) =>
  hospital.appointments.book(patient, { ...wanted, ...booking }, makeCall(moment));

async function listFreeStarts(hospital: Hospital, serviceId = 'clinica', locationId = 'central') {
  const day = { from: '2026-10-19', to: '2026-10-19' };
  const { items } = await hospital.appointments.slots({ serviceId, locationId, ...day }, makeCall());
  return items.map(({ start }) => start.slice(11, 16));
}

describe('booking on the memory adapter', () => {
  const refusals: readonly [title: string, booking: Partial<Booking>, patient: string, failure: object][] = [
    ['an unknown patient', { serviceId: 'x' }, 'x', { kind: 'not_found' }],
    ['an unknown service', { serviceId: 'x' }, 'ana', { kind: 'invalid', at: 'serviceId' }],
    ['no practitioner', { practitionerIds: [] }, 'ana', { kind: 'invalid', at: 'practitionerIds' }],
    [
      'an unknown second practitioner',
      { practitionerIds: ['paz', 'x'] },
      'ana',
      { kind: 'invalid', at: 'practitionerIds' },
    ],
    ['an unknown location', { locationId: 'x' }, 'ana', { kind: 'invalid', at: 'locationId' }],
    ['an unknown coverage', { coverageId: 'x' }, 'ana', { kind: 'invalid', at: 'coverageId' }],
    ['the coverage of somebody else', { coverageId: 'bruno-osde' }, 'ana', { kind: 'invalid', at: 'coverageId' }],
    ['an inactive coverage', { coverageId: 'ana-vieja' }, 'ana', { kind: 'invalid', at: 'coverageId' }],
    [
      'a plan that the service does not accept',
      { coverageId: 'ana-pami' },
      'ana',
      { kind: 'invalid', at: 'coverageId' },
    ],
    ['a service that is not given now', { serviceId: 'cerrado' }, 'ana', { kind: 'invalid', at: 'serviceId' }],
    ['a patient who is too young', {}, 'camila', { kind: 'invalid', at: 'serviceId' }],
    [
      'a patient of the other sex',
      { serviceId: 'gineco', practitionerIds: ['sosa'] },
      'bruno',
      { kind: 'invalid', at: 'serviceId' },
    ],
    ['the present moment', { start: '2026-10-14T09:00:00' }, 'ana', { kind: 'invalid', at: 'start' }],
    ['a time between two slots', { start: '2026-10-19T09:10:00' }, 'ana', { code: 'slot_unknown', at: 'start' }],
    ['a slot and some seconds', { start: '2026-10-19T09:00:30' }, 'ana', { code: 'slot_unknown', at: 'start' }],
    ['a day without slots', { start: '2026-10-20T09:00:00' }, 'ana', { code: 'slot_unknown', at: 'start' }],
    ['a practitioner without such slots', { practitionerIds: ['sosa'] }, 'ana', { code: 'slot_unknown', at: 'start' }],
    ['a location without such slots', { locationId: 'norte' }, 'ana', { code: 'slot_unknown', at: 'start' }],
    [
      'a slot beyond the booking horizon',
      { start: '2026-12-14T09:00:00' },
      'ana',
      { code: 'slot_unknown', at: 'start' },
    ],
    ['the last moment of the calendar', { start: '9999-12-31T23:50:00' }, 'ana', { code: 'slot_unknown', at: 'start' }],
    [
      'a span beyond the last slot',
      { start: '2026-10-19T11:40:00', minutes: 40 },
      'ana',
      { code: 'slot_unknown', at: 'start' },
    ],
    ['no time at all', { minutes: 0 }, 'ana', { kind: 'invalid', at: 'minutes' }],
    ['the offer of another time', { slotId: 'paz-central.20261019T0920' }, 'ana', { kind: 'invalid', at: 'slotId' }],
    [
      'the offer of another practitioner',
      { slotId: 'sosa-central.20261019T0900' },
      'ana',
      { kind: 'invalid', at: 'slotId' },
    ],
    [
      'the offer of another place',
      { slotId: 'paz-central.20261019T0900', locationId: 'norte' },
      'ana',
      { kind: 'invalid', at: 'slotId' },
    ],
    ['an offer that nobody made', { slotId: 'x' }, 'ana', { kind: 'invalid', at: 'slotId' }],
    ['a slot that is taken', { start: '2026-10-19T10:00:00' }, 'bruno', { kind: 'conflict', code: 'slot_taken' }],
  ];

  test.each(refusals)('refuses %s and changes nothing', async (_title, booking, patient, failure) => {
    const hospital = openHospital();
    const before = await listFreeStarts(hospital);
    await expect(book(hospital, booking, patient)).rejects.toMatchObject(failure);
    expect(await listFreeStarts(hospital)).toEqual(before);
  });

  test('refuses a local time that a change of the clocks skips', async () => {
    const world = makeSmallWorld();
    Object.assign(world.schedules[0]!, { days: ['SUNDAY'], from: '00:00', to: '02:00' });
    world.appointments = [];
    const moment = '2026-09-01T12:00:00.000Z';
    const hospital = openHospital(world, 'America/Santiago', moment);
    const failure = { kind: 'invalid', code: 'nonexistent_local_time', at: 'start' };
    await expect(book(hospital, { start: '2026-09-06T00:20:00' }, 'bruno', moment)).rejects.toMatchObject(failure);
    await expect(book(hospital, { start: '2026-09-06T01:00:00' }, 'bruno', moment)).resolves.toBeDefined();
  });

  test('takes whatever is offered on the night on which the clocks go back', async () => {
    const world = makeSmallWorld();
    Object.assign(world.schedules[0]!, { days: ['SATURDAY'], from: '22:00', to: '23:59' });
    world.appointments = [];
    const moment = '2026-04-01T12:00:00.000Z';
    const hospital = openHospital(world, 'America/Santiago', moment);
    const query = { serviceId: 'clinica', from: '2026-04-04', to: '2026-04-04' };
    const { items } = await hospital.appointments.slots(query, makeCall(moment));
    expect(items.length).toBeGreaterThan(3);
    for (const { start, id } of items) {
      await expect(book(hospital, { start, slotId: id }, 'bruno', moment)).resolves.toBeDefined();
    }
  });

  test('refuses a span that a change of the clocks tears apart', async () => {
    const world = makeSmallWorld();
    Object.assign(world.schedules[0]!, { days: ['SUNDAY'], from: '02:00', to: '04:00', minutes: 30 });
    world.appointments = [];
    const hospital = openHospital(world, 'Europe/Madrid');
    const hour = (start: string) => book(hospital, { start, minutes: 60 });
    await expect(hour('2026-10-25T02:30:00')).rejects.toMatchObject({ code: 'slot_unknown' });
    await expect(hour('2026-11-01T02:30:00')).resolves.toBeDefined();
  });

  test('shows the appointment as it was asked for', async () => {
    const hospital = openHospital();
    const { id } = await book(hospital, { coverageId: 'bruno-osde', copay: 500, authorization: true });
    const { items } = await hospital.appointments.list('bruno', { order: 'ascending' }, makeCall());
    expect(items).toEqual([
      {
        id,
        patientId: 'bruno',
        start: wanted.start,
        minutes: 20,
        status: 'active',
        modality: 'in-person',
        cancelable: true,
        practitioners: [{ id: 'paz', name: 'Dra. Paz' }],
        location: { id: 'central', name: 'Central' },
        services: [{ id: 'clinica', name: 'Consulta' }],
        coverage: expect.objectContaining({ id: 'bruno-osde', carrier: 'OSDE', plan: '210' }),
        copay: 500,
        authorization: true,
      },
    ]);
  });

  test('lists appointments by start, whenever they were booked, and those of one moment in the order of booking', async () => {
    const hospital = openHospital();
    const inGineco = { serviceId: 'gineco', practitionerIds: ['sosa'] };
    await book(hospital, { start: '2026-10-21T09:00:00' }, 'ana');
    const first = await book(hospital, { start: '2026-10-19T09:20:00' }, 'ana');
    const second = await book(hospital, { ...inGineco, start: '2026-10-19T09:20:00' }, 'ana');
    await book(hospital, { start: '2026-10-19T09:00:00' }, 'ana');
    await hospital.appointments.cancel('ana', first.id, makeCall());
    const list = async (order: 'ascending' | 'descending') =>
      (await hospital.appointments.list('ana', { order }, makeCall())).items.map(({ id, start }) => ({ id, start }));
    const ascending = await list('ascending');
    const starts = ascending.map(({ start }) => start.slice(8, 16));
    expect(starts).toEqual(['19T09:00', '19T09:20', '19T09:20', '19T10:00', '21T09:00']);
    expect(ascending.slice(1, 3).map(({ id }) => id)).toEqual([first.id, second.id]);
    const [latest, before, ...rest] = ascending.toReversed();
    expect(await list('descending')).toEqual([latest, before, ...ascending.slice(1, 3), rest.at(-1)]);
  });

  test('over several slots takes all of them', async () => {
    const hospital = openHospital();
    await book(hospital, { minutes: 50 });
    expect(await listFreeStarts(hospital)).toEqual(['10:20', '10:40', '11:00', '11:20', '11:40']);
  });

  test('over several slots takes none when one of them is taken', async () => {
    const hospital = openHospital();
    const before = await listFreeStarts(hospital);
    await expect(book(hospital, { start: '2026-10-19T09:40:00', minutes: 40 })).rejects.toMatchObject({
      code: 'slot_taken',
    });
    expect(await listFreeStarts(hospital)).toEqual(before);
  });

  test('with two practitioners keeps both busy, and needs both', async () => {
    const hospital = openHospital();
    await book(hospital, { practitionerIds: ['paz', 'sosa', 'paz'] });
    expect(await listFreeStarts(hospital, 'gineco')).not.toContain('09:00');
    const gineco = { serviceId: 'gineco', practitionerIds: ['sosa'], start: '2026-10-19T09:20:00' };
    await book(hospital, gineco, 'camila');
    const both = book(hospital, { practitionerIds: ['paz', 'sosa'], start: '2026-10-19T09:20:00' }, 'ana');
    await expect(both).rejects.toMatchObject({ code: 'slot_taken' });
  });

  test('takes a patient who has another appointment at that time', async () => {
    const hospital = openHospital();
    const gineco = { serviceId: 'gineco', practitionerIds: ['sosa'] };
    await expect(book(hospital, { ...gineco, start: '2026-10-19T10:00:00' }, 'ana')).resolves.toBeDefined();
  });

  test('of one slot by twenty at once succeeds once', async () => {
    const hospital = openHospital();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => book(hospital)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('canceling on the memory adapter', () => {
  const cancel = (hospital: Hospital, moment: string) => hospital.appointments.cancel('ana', 'turno', makeCall(moment));
  const dayBefore = '2026-10-18T13:00:00.000Z';
  const tooLate = '2026-10-18T13:00:00.001Z';

  test.each([
    [dayBefore, true],
    [tooLate, false],
  ])('at %s agrees with what the list says', async (moment, cancelable) => {
    const hospital = openHospital();
    const { items } = await hospital.appointments.list('ana', { order: 'ascending' }, makeCall(moment));
    expect(items.map((item) => item.cancelable)).toEqual([cancelable]);
    if (cancelable) await cancel(hospital, moment);
    else await expect(cancel(hospital, moment)).rejects.toMatchObject({ kind: 'conflict', code: 'not_cancelable' });
  });

  test('gives the slots back, to the practitioner and to the patient', async () => {
    const hospital = openHospital();
    expect(await listFreeStarts(hospital)).not.toContain('10:00');
    await cancel(hospital, now);
    expect(await listFreeStarts(hospital)).toContain('10:00');
    await book(hospital, { start: '2026-10-19T10:00:00' }, 'ana');
    await cancel(hospital, now);
    expect(await listFreeStarts(hospital)).not.toContain('10:00');
  });

  test('never frees an appointment that has begun, whatever the hours', async () => {
    const world = makeSmallWorld();
    world.institution.cancelUntilHours = 0;
    const hospital = openHospital(world);
    await expect(cancel(hospital, '2026-10-19T13:00:00.000Z')).rejects.toMatchObject({ code: 'not_cancelable' });
    await expect(cancel(hospital, '2026-10-19T12:59:59.999Z')).resolves.toBeUndefined();
  });
});
