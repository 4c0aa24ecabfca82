import { describe, expect, test } from '@jest/globals';
import { examineOffsets } from '../../../adapters/fhir/examine.ts';
import { Zone } from '../../../src/toolkit/zone.ts';

const name = 'America/Santiago';
const examine = (...starts: readonly string[]) => examineOffsets(starts, new Zone(name));

describe('the times of slots', () => {
  test.each([
    ['in UTC, as FHIR servers write it', '2026-09-13T15:00:00Z'],
    ['in UTC, with an offset', '2026-09-13T15:00:00+00:00'],
    ['as the clocks of the zone show them in winter', '2026-08-13T15:00:00-04:00'],
    ['as the clocks of the zone show them in summer', '2026-09-13T15:00:00-03:00'],
  ])('are well %s', (_, start) => {
    const detail = `the times of 1 future slots are in UTC or as in ${name}`;
    expect(examine(start)).toEqual({ check: 'time zone', ok: true, detail });
  });

  test('are wrong with offsets that the zone does not have then, and each of these is named once', () => {
    const [east, summer] = ['2026-09-13T15:00:00+02:00', '2026-08-13T15:00:00-03:00'];
    const { ok, detail, fix } = examine('2026-09-13T15:00:00Z', summer, east, east);
    expect(ok).toBe(false);
    expect(detail).toBe(
      `the times of 3 of 4 future slots have the offset +02:00, -03:00, which ${name} does not have then`,
    );
    expect(fix).toMatch(/^set institution\.timeZone to the institution’s zone/);
  });

  test('are not judged where there are none', () => {
    expect(examine()).toMatchObject({ check: 'time zone', ok: null });
  });
});
