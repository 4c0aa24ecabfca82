import { describe, expect, test } from '@jest/globals';
import { formatPractitionerName, formatWorkingHours } from '../../../../adapters/fhir/practitioners/read.ts';
import { pickName } from '../../../../adapters/fhir/schema/read.ts';
import { resources } from '../../../../adapters/fhir/schema/resources.ts';

describe('a practitioner', () => {
  const name = [{ text: 'PAZ JULIA', family: 'Paz', given: ['Julia'], prefix: ['Dra.'] }];

  test.each([
    ['text', 'PAZ JULIA'],
    ['given-first', 'Dra. Julia Paz'],
    ['family-first', 'Dra. Paz Julia'],
  ] as const)('is called by %s as %s', (order, words) => {
    expect(formatPractitionerName(name, order, () => true)).toBe(words);
  });

  test('without a name is called nothing', () => {
    expect(formatPractitionerName(undefined, 'text', () => true)).toBe('');
    expect(pickName([], () => true)).toBeUndefined();
  });
});

describe('working hours', () => {
  const time = (daysOfWeek: string[], from: string, until: string) => ({
    daysOfWeek,
    availableStartTime: `${from}:00`,
    availableEndTime: `${until}:00`,
  });
  const role = (rest: object) =>
    resources.PractitionerRole.parse({ resourceType: 'PractitionerRole', id: 'r', ...rest });

  test('group the days of equal hours', () => {
    const availableTime = [
      time(['mon', 'tue', 'wed', 'thu', 'fri'], '09:00', '12:00'),
      time(['tue', 'thu'], '15:00', '18:00'),
      time(['sat', 'sun'], '10:00', '11:00'),
    ];
    expect(formatWorkingHours([role({ availableTime })])).toBe(
      'Lun-Vie: 09:00-12:00; Mar, Jue: 15:00-18:00; Sáb, Dom: 10:00-11:00',
    );
  });

  test('know the whole day, every day, and exceptions in words', () => {
    const availableTime = [
      { daysOfWeek: ['mon'], allDay: true },
      { availableStartTime: '08:00:00', availableEndTime: '09:00:00' },
    ];
    expect(formatWorkingHours([role({ availableTime, availabilityExceptions: 'No en enero.' })])).toBe(
      'Lun: 24h; Lun-Dom: 08:00-09:00; No en enero.',
    );
    expect(formatWorkingHours([role({})])).toBe('');
  });

  test('say what is known of a day that has one end', () => {
    const availableTime = [
      { daysOfWeek: ['tue'], availableStartTime: '08:00:00' },
      { daysOfWeek: ['tue'], availableEndTime: '17:00:00' },
    ];
    expect(formatWorkingHours([role({ availableTime })])).toBe('Mar: desde 08:00; Mar: hasta 17:00');
  });
});
