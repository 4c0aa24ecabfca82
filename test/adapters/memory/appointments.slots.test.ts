import { describe, expect, test } from '@jest/globals';
import type { SlotQuery } from '../../../src/ports/index.ts';
import { makeCall, makeSmallWorld, now, openHospital } from './small-world.ts';

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
