import { describe, expect, test } from '@jest/globals';
import { isCancelable } from '../../../adapters/common/booking.ts';
import { Zone } from '../../../src/toolkit/zone.ts';

const isCancelableAt = (now: string, zone: string, start: string, hours = 24) =>
  isCancelable({ status: 'active', begins: new Zone(zone).toEpoch(start) ?? Number.NaN }, hours, { now });

describe('an appointment can be canceled', () => {
  test.each([
    ['America/Argentina/Buenos_Aires', '2026-10-20T00:30:00', '2026-10-19T03:30:00.000Z'],
    ['Asia/Kathmandu', '2026-10-20T00:30:00', '2026-10-18T18:45:00.000Z'],
    // The clocks go forward and back in the night before: 24 hours are 24 hours.
    ['America/Santiago', '2026-09-06T09:00:00', '2026-09-05T12:00:00.000Z'],
    ['America/Santiago', '2026-04-05T09:00:00', '2026-04-04T13:00:00.000Z'],
  ])('in %s, at %s, until %s and no later', (zone, start, last) => {
    const oneMillisecondLater = new Date(Date.parse(last) + 1).toISOString();
    expect(isCancelableAt(last, zone, start)).toBe(true);
    expect(isCancelableAt(oneMillisecondLater, zone, start)).toBe(false);
  });

  test('until just before it begins where the institution needs no notice', () => {
    const at = (now: string) => isCancelableAt(now, 'UTC', '2026-10-20T09:00:00', 0);
    expect(at('2026-10-20T08:59:59.999Z')).toBe(true);
    expect(at('2026-10-20T09:00:00.000Z')).toBe(false);
    expect(at('2026-10-20T10:00:00.000Z')).toBe(false);
  });

  test('once, and only when it has a time', () => {
    const now = '2026-10-01T00:00:00.000Z';
    const begins = Date.parse('2026-10-20T09:00:00.000Z');
    expect(isCancelable({ status: 'active', begins }, 24, { now })).toBe(true);
    expect(isCancelable({ status: 'canceled', begins }, 24, { now })).toBe(false);
    expect(isCancelable({ status: 'active', begins: Number.NaN }, 24, { now })).toBe(false);
  });
});
