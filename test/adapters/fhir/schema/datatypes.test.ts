import { describe, expect, test } from '@jest/globals';
import { date, instant } from '../../../../adapters/fhir/schema/datatypes.ts';
import { Zone } from '../../../../src/toolkit/zone.ts';

const zone = new Zone('America/Argentina/Buenos_Aires');

describe('an instant', () => {
  test.each([
    '2026-02-28T10:00:00Z',
    '2024-02-29T23:59:59-03:00',
    '2026-07-10T00:00Z',
    '2026-07-10T10:00:00.1234567-03:00',
    '2026-07-10T10:00:00.12345678901-03:00',
    '2026-07-10T10:00:00+14:00',
  ])('is %s, which has a local time', (value) => {
    expect(instant.safeParse(value).success).toBe(true);
    expect(Date.parse(`${zone.toLocalTime(value)}-03:00`)).toBe(Math.floor(Date.parse(value) / 1000) * 1000);
  });

  test.each([
    '2026-02-30T10:00:00Z',
    '2025-02-29T10:00:00-03:00',
    '2026-06-31T10:00:00Z',
    '2026-00-10T10:00:00Z',
    '2026-13-10T10:00:00Z',
    '0001-13-13T10:00:00Z',
    '2026-07-10T24:00:00-03:00',
    '2026-07-10T24:00Z',
    '2026-07-10T10:60:00Z',
    '0000-01-01T00:00:00Z',
    '2026-07-10T10:00:00',
    '2026-07-10',
  ])('is not %s', (value) => {
    expect(instant.safeParse(value).success).toBe(false);
  });
});

describe('a date', () => {
  test.each(['2026', '2026-02', '2024-02-29'])('is %s', (value) => {
    expect(date.safeParse(value).success).toBe(true);
  });

  test.each(['2026-02-30', '2026-13', '0001-13-13', '26-02-01', '2026-02-01T10:00:00Z'])('is not %s', (value) => {
    expect(date.safeParse(value).success).toBe(false);
  });
});
