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
