import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  computeLastDay,
  findFlaw,
  findHolder,
  isAhead,
  isOpenSchedule,
  type ScheduleFacts,
  type SlotFacts,
} from '../../../adapters/common/bookable.ts';
import { Zone } from '../../../src/toolkit/zone.ts';

const begins = Date.parse('2026-10-19T12:00:00Z');
const slot: SlotFacts = { begins, ends: begins + 1_200_000, isTaken: false };

describe('a schedule', () => {
  test('of which the system says nothing is open', () => {
    expect(isOpenSchedule({})).toBe(true);
  });

  test.each<keyof ScheduleFacts>(['scheduleActive', 'practitionerActive', 'roleActive', 'placeOpen'])(
    'is closed where %s is false, and open where it is true',
    (fact) => {
      expect(isOpenSchedule({ [fact]: false })).toBe(false);
      expect(isOpenSchedule({ [fact]: true })).toBe(true);
    },
  );
});

describe('a slot', () => {
  test('of which the system says no more than when it is and that nobody has it is bookable', () => {
    expect([findFlaw(slot), findHolder(slot)]).toEqual([undefined, undefined]);
  });

  test.each<[why: string, facts: Partial<SlotFacts>]>([
    ['mistake', { isMistake: true }],
    ['too-short', { ends: begins + 59_999 }],
    ['repeated-time', { isRepeatedTime: true }],
    ['other-service', { isForService: false }],
  ])('is not offered for the reason %s, whether somebody has it or not', (why, facts) => {
    expect(findFlaw({ ...slot, ...facts })).toBe(why);
    expect(findFlaw({ ...slot, ...facts, isTaken: true })).toBe(why);
    expect(findHolder({ ...slot, ...facts })).toBeUndefined();
  });

  test.each<[why: string, facts: Partial<SlotFacts>]>([
    ['overbooked', { isOverbooked: true }],
    ['appointment', { isTaken: true }],
    ['unplanned-visits', { appointmentType: 'EMERGENCY' }],
    ['unplanned-visits', { appointmentType: 'WALKIN' }],
  ])('is offered, and not free for the reason %s', (why, facts) => {
    expect(findHolder({ ...slot, ...facts })).toBe(why);
    expect(findFlaw({ ...slot, ...facts })).toBeUndefined();
  });

  test('of a minute, for the service, and for a check-up is bookable', () => {
    const facts = { ...slot, ends: begins + 60_000, isForService: true, appointmentType: 'CHECKUP' };
    expect([findFlaw(facts), findHolder(facts)]).toEqual([undefined, undefined]);
  });

  test('that begins at this moment is past', () => {
    expect([begins - 1, begins, begins + 1].map((each) => isAhead(each, begins))).toEqual([false, false, true]);
  });

  test('can be booked up to the last day of the horizon, counted in the zone of the institution', () => {
    const zone = new Zone('America/Argentina/Buenos_Aires');
    expect(computeLastDay(zone, 60, { now: '2026-10-14T02:59:00.000Z' })).toBe('2026-12-12');
    expect(computeLastDay(zone, 60, { now: '2026-10-14T03:00:00.000Z' })).toBe('2026-12-13');
  });
});

test('no adapter has a rule of its own of what makes a slot bookable', () => {
  const own = globSync('adapters/**/*.ts').filter((file) => {
    const text = readFileSync(file, 'utf8');
    return /'WALKIN'|overbooked === true|begins > (present|Date\.parse)|< 60_000/.test(text);
  });
  expect(own).toEqual(['adapters/common/bookable.ts']);
});
