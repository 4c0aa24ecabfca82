import { describe, expect, test } from '@jest/globals';
import type { Booking, SlotQuery } from '../../../src/ports/index.ts';
import { makeCall, makeSmallWorld, now, openHospital } from './small-world.ts';

test('who has a closed record gets no coverage and no other practitioner', async () => {
  const world = makeSmallWorld();
  const [patient] = world.patients;
  const [carrier] = world.carriers;
  const [reason] = world.changeReasons;
  world.patients[0] = { ...patient!, active: false };
  const { insurance, practitioners } = openHospital(world);
  const closed = { kind: 'invalid', message: 'the record of this patient is closed' };
  const card = { beneficiaryId: patient!.id, planId: carrier!.plans![0]!.id, credentialNumber: 'N-9' };
  await expect(insurance.create(card, makeCall())).rejects.toMatchObject({ ...closed, at: 'beneficiaryId' });
  const request = practitioners.requestChange(patient!.id, { reasonId: reason!.id }, makeCall());
  await expect(request).rejects.toMatchObject({ ...closed, at: 'patientId' });
});

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
    ['two unknown things', { serviceId: 'x' }, 'x', { kind: 'not_found' }],
    ['no practitioner', { practitionerIds: [] }, 'ana', { at: 'practitionerIds' }],
    ['an unknown second practitioner', { practitionerIds: ['paz', 'x'] }, 'ana', { at: 'practitionerIds' }],
    ['an unknown location', { locationId: 'x' }, 'ana', { at: 'locationId' }],
    ['a service that is not given now', { serviceId: 'cerrado' }, 'ana', { at: 'serviceId' }],
    ['the present moment', { start: '2026-10-14T09:00:00' }, 'ana', { at: 'start' }],
    ['a time between two slots', { start: '2026-10-19T09:10:00' }, 'ana', { code: 'slot_unknown' }],
    ['a slot and some seconds', { start: '2026-10-19T09:00:30' }, 'ana', { code: 'slot_unknown' }],
    ['a day without slots', { start: '2026-10-20T09:00:00' }, 'ana', { code: 'slot_unknown' }],
    ['a location without such slots', { locationId: 'norte' }, 'ana', { code: 'slot_unknown' }],
    ['a slot beyond the booking horizon', { start: '2026-12-14T09:00:00' }, 'ana', { code: 'slot_unknown' }],
    ['a span beyond the last slot', { start: '2026-10-19T11:40:00', minutes: 40 }, 'ana', { code: 'slot_unknown' }],
    ['the offer of another time', { slotId: 'paz-central.20261019T0920' }, 'ana', { at: 'slotId' }],
    ['the offer of another practitioner', { slotId: 'sosa-central.20261019T0900' }, 'ana', { at: 'slotId' }],
    ['an offer elsewhere', { slotId: 'paz-central.20261019T0900', locationId: 'norte' }, 'ana', { at: 'slotId' }],
    ['an offer that nobody made', { slotId: 'x' }, 'ana', { at: 'slotId' }],
  ];

  test.each(refusals)('refuses %s and changes nothing', async (_title, booking, patient, failure) => {
    const hospital = openHospital();
    const before = await listFreeStarts(hospital);
    await expect(book(hospital, booking, patient)).rejects.toMatchObject(failure);
    expect(await listFreeStarts(hospital)).toEqual(before);
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
});

const listStarts = async (hospital: ReturnType<typeof openHospital>, query: Partial<SlotQuery> = {}, moment = now) =>
  (await hospital.appointments.slots({ serviceId: 'clinica', ...query }, makeCall(moment))).items.map(
    ({ start }) => start,
  );

/** Sundays from midnight on: the hours in which the clocks of Chile change. */
function makeNightShift() {
  const world = makeSmallWorld();
  world.schedules = [
    { ...world.schedules[0]!, id: 'noche', days: ['SUNDAY'], from: '00:00', to: '02:00', minutes: 30 },
  ];
  world.appointments = [];
  return world;
}

describe('slots of the memory adapter', () => {
  test('come from the weekly schedules, by start, with ids that can be read', async () => {
    const { items } = await openHospital().appointments.slots(
      { serviceId: 'clinica', from: '2026-10-19', to: '2026-10-19' },
      makeCall(),
    );
    expect(items.map(({ id }) => id)).toEqual([
      'paz-central.20261019T0900',
      'paz-central.20261019T0920',
      'paz-central.20261019T0940',
      'paz-central.20261019T1020',
      'paz-central.20261019T1040',
      'paz-central.20261019T1100',
      'paz-central.20261019T1120',
      'paz-norte.20261019T1130',
      'paz-central.20261019T1140',
      'paz-norte.20261019T1200',
      'paz-norte.20261019T1230',
      'paz-norte.20261019T1300',
      'paz-norte.20261019T1330',
    ]);
    expect(items[7]).toEqual({
      id: 'paz-norte.20261019T1130',
      start: '2026-10-19T11:30:00',
      minutes: 30,
      serviceId: 'clinica',
      practitionerId: 'paz',
      locationId: 'norte',
      modality: 'in-person',
    });
  });

  test('start after the moment of the call', async () => {
    const hospital = openHospital();
    const today = { from: '2026-10-14', to: '2026-10-14' };
    expect((await listStarts(hospital, today, '2026-10-14T11:59:59.999Z'))[0]).toBe('2026-10-14T09:00:00');
    expect((await listStarts(hospital, today, '2026-10-14T12:00:00.000Z'))[0]).toBe('2026-10-14T09:20:00');
    expect(await listStarts(hospital, today, '2026-10-14T20:00:00.000Z')).toEqual([]);
  });

  test('roll ahead with the day in the zone of the institution, up to the booking horizon', async () => {
    const hospital = openHospital();
    const lastDay = async (moment: string) => (await listStarts(hospital, {}, moment)).at(-1)?.slice(0, 10);
    expect(await lastDay('2026-10-16T02:59:59.999Z')).toBe('2026-12-14');
    expect(await lastDay('2026-10-18T02:59:59.999Z')).toBe('2026-12-16');
    expect(await lastDay('2036-10-18T12:00:00.000Z')).toBe('2036-12-17');
  });

  test('are not offered twice when one practitioner works at two places', async () => {
    const hospital = openHospital();
    const day = { from: '2026-10-19', to: '2026-10-19' };
    expect(await listStarts(hospital, day)).toEqual(
      expect.arrayContaining(['2026-10-19T11:20:00', '2026-10-19T11:30:00', '2026-10-19T11:40:00']),
    );
    const booking = { serviceId: 'clinica', practitionerIds: ['paz'], start: '2026-10-19T11:30:00' };
    await hospital.appointments.book('bruno', booking, makeCall());
    const left = await listStarts(hospital, day);
    expect(left).toContain('2026-10-19T11:00:00');
    expect(left).not.toContain('2026-10-19T11:20:00');
    expect(left).not.toContain('2026-10-19T11:40:00');
    expect(left).toContain('2026-10-19T12:00:00');
  });

  test('leave out what a change of the clocks skips', async () => {
    const hospital = openHospital(makeNightShift(), 'America/Santiago', '2026-09-01T12:00:00.000Z');
    const [change, later] = ['2026-09-06', '2026-09-13'];
    const at = (day: string) => listStarts(hospital, { from: day, to: day }, '2026-09-01T12:00:00.000Z');
    expect(await at(later)).toHaveLength(4);
    expect(await at(change)).toEqual([`${change}T01:00:00`, `${change}T01:30:00`]);
  });

  test('use the first of two hours where the clocks go back', async () => {
    const world = makeNightShift();
    Object.assign(world.schedules[0]!, { days: ['SATURDAY'], from: '22:00', to: '23:59' });
    const moment = '2026-04-01T12:00:00.000Z';
    const hospital = openHospital(world, 'America/Santiago', moment);
    const on = { from: '2026-04-04', to: '2026-04-04' };
    const firstHourOver = '2026-04-05T02:45:00.000Z';
    expect(await listStarts(hospital, on, moment)).toHaveLength(3);
    expect(await listStarts(hospital, on, firstHourOver)).toEqual([]);
  });
});

test('a page of slots is of those on the days of the week and between the hours that are asked for', async () => {
  const { appointments } = openHospital();
  const query = { serviceId: 'clinica', from: '2026-10-19', to: '2026-11-01' } as const;
  const { items } = await appointments.slots(query, makeCall());
  const wanted = items.filter(({ start, minutes }) => {
    const clock = start.slice(11, 16);
    const ends = Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3)) + minutes;
    return new Date(`${start}Z`).getUTCDay() === 1 && clock >= '09:20' && ends <= 10 * 60;
  });
  expect(wanted.length).toBeGreaterThan(2);
  const hours = { daysOfWeek: ['MONDAY'], hourFrom: '09:20', hourTo: '10:00' } as const;
  const page = { page: 1, limit: 1 };
  expect(await appointments.slots({ ...query, ...hours }, makeCall())).toEqual({ items: wanted, total: wanted.length });
  expect(await appointments.slots({ ...query, ...hours, page }, makeCall())).toEqual({
    items: wanted.slice(1, 2),
    total: wanted.length,
  });
});
