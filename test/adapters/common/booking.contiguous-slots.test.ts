import { describe, expect, test } from '@jest/globals';
import { computeMinutes, pickSlots } from '../../../adapters/common/booking.ts';

const at = (time: string) => Date.parse(`2026-10-19T${time.padEnd(8, ':00')}Z`);

/** Slots of 20 minutes, of which those in brackets are taken: `a 09:00 [09:20]`. */
function makeSlots(text: string) {
  const [scheduleId = '', ...times] = text.split(' ');
  return times.map((each) => {
    const time = each.replace(/[[\]]/g, '');
    const begins = at(time);
    return { id: `${scheduleId}-${time}`, scheduleId, begins, ends: begins + 20 * 60_000, isFree: time === each };
  });
}

const pick = (slots: string | ReturnType<typeof makeSlots>, minutes?: number, slotId?: string) =>
  pickSlots(typeof slots === 'string' ? makeSlots(slots) : slots, { begins: at('09:00'), minutes, slotId }).map(
    ({ id }) => id,
  );
const both = (one: string, other: string) => [...makeSlots(one), ...makeSlots(other)];

const unknown = expect.objectContaining({ kind: 'invalid', code: 'slot_unknown', at: 'start' });
const taken = expect.objectContaining({ kind: 'conflict', code: 'slot_taken' });

describe('contiguous slots', () => {
  test('are one where no length is asked for', () => {
    expect(pick('a 09:00 09:20')).toEqual(['a-09:00']);
  });

  test.each([
    [20, 1],
    [21, 2],
    [40, 2],
    [60, 3],
  ])('for %i minutes are %i', (minutes, count) => {
    expect(pick('a 08:40 09:00 09:20 09:40 10:00', minutes)).toHaveLength(count);
  });

  test('are unknown where none begins then, or one is missing in the middle or at the end', () => {
    expect(() => pick('a 08:50 09:10')).toThrow(unknown);
    expect(() => pick('a 09:00 09:40', 40)).toThrow(unknown);
    expect(() => pick('a 09:00 09:20', 60)).toThrow(unknown);
  });

  test('are taken when one of them is', () => {
    expect(() => pick('a [09:00]')).toThrow(taken);
    expect(() => pick('a 09:00 [09:20] 09:40', 60)).toThrow(taken);
    expect(pick('a 09:00 [09:20]', 20)).toEqual(['a-09:00']);
  });

  test('are of one schedule', () => {
    expect(() => pick(both('a 09:00', 'b 09:20'), 40)).toThrow(unknown);
  });

  test('are of the first schedule that is free', () => {
    expect(pick(both('a 09:00 [09:20]', 'b 09:00 09:20'), 40)).toEqual(['b-09:00', 'b-09:20']);
    expect(pick(both('b 09:00', 'a 09:00'))).toEqual(['b-09:00']);
  });

  test('are the offer that was chosen, or none', () => {
    const slots = both('a 09:00', 'b 09:00');
    expect(pick(slots, 20, 'b-09:00')).toEqual(['b-09:00']);
    expect(() => pick(both('a [09:00]', 'b 09:00'), 20, 'a-09:00')).toThrow(taken);
    expect(() => pick(slots, 20, 'c-09:00')).toThrow(unknown);
  });

  test('go on with a free one where two follow', () => {
    const twice = [...makeSlots('a 09:00 [09:20]'), ...makeSlots('a 09:20').map((slot) => ({ ...slot, id: 'other' }))];
    expect(pick(twice, 40)).toEqual(['a-09:00', 'other']);
  });

  test('follow each other where one ends a second early', () => {
    const odd = makeSlots('a 09:00 09:20').map((slot) => ({ ...slot, ends: slot.ends - 1000 }));
    expect(pick(odd, 40)).toEqual(['a-09:00', 'a-09:20']);
    expect(computeMinutes([odd[0]!, odd[1]!])).toBe(40);
  });

  test('come to an end where a slot lasts no time', () => {
    const empty = makeSlots('a 09:00').map((slot) => ({ ...slot, ends: slot.begins }));
    expect(() => pick(empty, 20)).toThrow(unknown);
  });
});
