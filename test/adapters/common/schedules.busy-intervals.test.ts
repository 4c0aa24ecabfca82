import { describe, expect, test } from '@jest/globals';
import { BusyIntervals } from '../../../adapters/common/schedules.ts';

const at = (from: string, to: string) => ({ begins: Date.parse(`${from}:00Z`), ends: Date.parse(`${to}:00Z`) });
const morning = at('2026-03-02T09:00', '2026-03-02T10:00');
const noon = at('2026-03-02T12:00', '2026-03-02T13:00');
const night = at('2026-03-02T23:30', '2026-03-03T00:30');

describe('busy intervals', () => {
  test('overlap only what shares a moment with them, of the same person', () => {
    const busy = new BusyIntervals();
    busy.add('ana', morning);
    expect(busy.isFree('ana', at('2026-03-02T09:59', '2026-03-02T11:00'))).toBe(false);
    expect(busy.isFree('ana', at('2026-03-02T10:00', '2026-03-02T11:00'))).toBe(true);
    expect(busy.isFree('ana', at('2026-03-02T08:00', '2026-03-02T09:00'))).toBe(true);
    expect(busy.isFree('bruno', morning)).toBe(true);
  });

  test('that are removed leave the others of the day', () => {
    const busy = new BusyIntervals();
    for (const each of [morning, noon]) busy.add('ana', each);
    busy.remove('ana', morning);
    expect([busy.isFree('ana', morning), busy.isFree('ana', noon)]).toEqual([true, false]);
    busy.remove('ana', noon);
    expect(busy.isFree('ana', noon)).toBe(true);
  });

  test('over midnight are seen on both days', () => {
    const busy = new BusyIntervals();
    busy.add('ana', night);
    expect(busy.isFree('ana', at('2026-03-02T23:00', '2026-03-02T23:45'))).toBe(false);
    expect(busy.isFree('ana', at('2026-03-03T00:15', '2026-03-03T01:00'))).toBe(false);
    busy.remove('ana', night);
    expect(busy.isFree('ana', at('2026-03-03T00:15', '2026-03-03T01:00'))).toBe(true);
  });
});
