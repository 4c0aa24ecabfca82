import { describe, expect, jest, test } from '@jest/globals';
import { Temporal } from 'temporal-polyfill';
import { addDays, addMinutes, addMonths, formatMoment, listDaysBetween, Zone } from '../../src/toolkit/zone.ts';

describe('the zone of an institution', () => {
  test('computes each day of twenty-five years of appointments once', () => {
    const zone = new Zone('America/Asuncion');
    const compute = jest.spyOn(Temporal.PlainDate, 'from');
    try {
      const days = listDaysBetween('2002-01-01', '2026-12-31');
      for (const day of days) zone.toEpoch(`${day}T09:00:00`);
      expect(compute).toHaveBeenCalledTimes(days.length);
      for (const day of days) zone.toEpoch(`${day}T17:00:00`);
      expect(compute).toHaveBeenCalledTimes(days.length);
    } finally {
      compute.mockRestore();
    }
  });

  test.each([
    ['America/Santiago', '2026-04-03'],
    ['America/Santiago', '2026-09-04'],
    ['Europe/Madrid', '2026-03-28'],
    ['Europe/Madrid', '2026-10-24'],
    ['Asia/Kathmandu', '2026-10-24'],
  ])('%s turns every half hour of the days from %s on into the moment that the calendar gives', (name, from) => {
    const zone = new Zone(name);
    const first = Temporal.PlainDateTime.from(`${from}T00:00:00`);
    const wrong: string[] = [];
    for (let step = 0; step < 4 * 48; step++) {
      const wanted = first.add({ minutes: step * 30 });
      const there = wanted.toZonedDateTime(name, { disambiguation: 'earlier' });
      const expected = there.toPlainDateTime().equals(wanted) ? there.epochMilliseconds : undefined;
      const local = wanted.toString({ smallestUnit: 'second' });
      if (zone.toEpoch(local) !== expected) wrong.push(local);
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    'America/Santiago',
    'Europe/Madrid',
    'Asia/Kathmandu',
    'Pacific/Kiritimati',
    'Pacific/Apia',
    'Etc/GMT+12',
  ])('%s turns every moment around its days into the local time that the calendar gives', (name) => {
    const zone = new Zone(name);
    const first = ['2011-12-28', '2026-03-27', '2026-04-03', '2026-09-04', '2026-10-23', '9999-12-30'];
    const moments = first.flatMap((day) =>
      Array.from({ length: 96 }, (_, step) => Temporal.Instant.from(`${day}T00:29:59Z`).add({ minutes: step * 45 })),
    );
    const expected = moments.map((moment) => {
      const { year } = moment.toZonedDateTimeISO(name);
      // The calendar of the API ends with the year 9999.
      return year > 9999 ? '9999-12-31T23:59:59' : moment.toZonedDateTimeISO(name).toPlainDateTime().toString();
    });
    expect(moments.map((moment) => zone.toLocalTime(moment.toString()))).toEqual(expected);
  });

  test('refuses what is no moment', () => {
    const zone = new Zone('Europe/Madrid');
    for (const none of ['2026-02-30T00:00:00Z', '2026-03-01T00:00:00', '2026-03-01T24:00:01Z', 'now']) {
      expect(() => zone.toLocalTime(none)).toThrow(RangeError);
    }
  });

  test.each(['America/Santiago', 'Europe/Madrid', 'Pacific/Kiritimati'])(
    '%s begins the first day and ends the last one at moments whose years have four digits and are not zero',
    (name) => {
      const zone = new Zone(name);
      const bounds = ['0001-01-01', '9999-12-31'].flatMap((day) => [zone.toStartOfDay(day), zone.toEndOfDay(day)]);
      expect(bounds).toEqual(bounds.toSorted());
      expect(bounds.filter((bound) => /^(?!0000)\d{4}-/.test(bound))).toEqual(bounds);
    },
  );

  test.each(['2026-09-05', '2026-09-06', '2026-04-04'])('ends %s when the next day begins', (day) => {
    const zone = new Zone('America/Santiago');
    expect(zone.toEndOfDay(day)).toBe(zone.toStartOfDay(addDays(day, 1)));
  });

  test('forgets days rather than keep all that callers ever asked for, and is still right', () => {
    const zone = new Zone('America/Santiago');
    const before = zone.toStartOfDay('2026-09-06');
    for (let day = 0; day < 3000; day++) zone.toStartOfDay(addDays('2000-01-01', day));
    expect(zone.toStartOfDay('2026-09-06')).toBe(before);
    expect(before).toBe('2026-09-06T04:00:00.000Z');
  });
});

describe('days and times on the wall', () => {
  test('go over the ends of months and leap years', () => {
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
    expect(addDays('2027-01-01', -1)).toBe('2026-12-31');
    expect(addMinutes('2026-12-31T23:50:00', 20)).toBe('2027-01-01T00:10:00');
    expect(addMonths('2026-03-31', -1)).toBe('2026-02-28');
    expect(addMonths('2028-02-29', -24)).toBe('2026-02-28');
  });
});

test('a moment is written as ISO 8601 has it in UTC, whichever was written before', () => {
  for (const text of [
    '2026-11-26T09:00:00.001Z',
    '2026-11-26T09:00:00.001Z',
    '2026-11-26T09:00:00.002Z',
    '1969-12-31T23:59:59.999Z',
  ])
    expect(formatMoment(new Date(text))).toBe(text);
});
