import { describe, expect, test } from '@jest/globals';
import { takeSlots } from '../../../adapters/common/slot-lists.ts';
import type { Slot, SlotQuery } from '../../../src/ports/index.ts';

/** On a Monday, a Tuesday and a Wednesday. */
const free: readonly Slot[] = ['2026-10-19T09:00', '2026-10-20T09:30', '2026-10-20T23:50', '2026-10-21T10:00'].map(
  (start, index) => ({
    id: String(index),
    start: `${start}:00`,
    minutes: 30,
    serviceId: 'clinica',
    practitionerId: index === 0 ? 'paz' : 'sosa',
    locationId: index === 1 ? 'norte' : 'central',
    modality: index === 3 ? 'virtual' : 'in-person',
  }),
);

const list = (query: Partial<SlotQuery>) => {
  const { items, total } = takeSlots(free, { serviceId: 'clinica', ...query });
  return { ids: items.map(({ id }) => id).join(''), total };
};

describe('a list of free slots', () => {
  test('is whole where the query names neither a criterion nor a page', () => {
    expect(list({})).toEqual({ ids: '0123', total: 4 });
  });

  test.each<[title: string, query: Partial<SlotQuery>, ids: string]>([
    ['a practitioner', { practitionerId: 'paz' }, '0'],
    ['a place', { locationId: 'norte' }, '1'],
    ['a kind of visit', { modality: 'virtual' }, '3'],
    ['a first day', { from: '2026-10-20' }, '123'],
    ['a last day', { to: '2026-10-20' }, '012'],
    ['days of the week', { daysOfWeek: ['MONDAY', 'WEDNESDAY'] }, '03'],
    ['a first hour', { hourFrom: '09:30' }, '123'],
    ['a last hour, by which a slot has ended', { hourTo: '10:00' }, '01'],
    ['midnight, which a slot over midnight does not end by', { hourTo: '23:59' }, '013'],
    ['all of them', { daysOfWeek: ['TUESDAY'], hourFrom: '09:00', hourTo: '10:00', locationId: 'norte' }, '1'],
  ])('has no other slots than those of %s', (_title, query, ids) => {
    expect(list(query)).toEqual({ ids, total: ids.length });
  });

  test('is filtered before its page is taken', () => {
    const daysOfWeek = ['TUESDAY', 'WEDNESDAY'] as const;
    expect(list({ daysOfWeek, page: { page: 1, limit: 2 } })).toEqual({ ids: '3', total: 3 });
    expect(list({ daysOfWeek, page: { page: 2, limit: 2 } })).toEqual({ ids: '', total: 3 });
  });
});
