import { describe, expect, test } from '@jest/globals';
import {
  compareNewestFirst,
  fillTicketFields,
  matchesTicketFilter,
  ticketType,
} from '../../../adapters/common/tickets.ts';
import { Zone } from '../../../src/toolkit/zone.ts';

const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };

const type = {
  ...ticketType.parse({
    id: 'receta',
    title: 'Receta',
    fields: [
      { id: 'dosis', type: 'number', tooltip: 'En mg' },
      { id: 'orden', type: 'file' },
    ],
  }),
  ...times,
};

describe('the fields of a ticket', () => {
  test('show what was filled in, in its order, a number as text', () => {
    const values = [
      { id: 'orden', value: 'aGk=' },
      { id: 'dosis', value: '12.50' },
    ];
    expect(fillTicketFields(type, values)).toEqual([
      { id: 'orden', dataType: 'file', value: 'aGk=', tooltip: '' },
      { id: 'dosis', dataType: 'string', value: '12.50', tooltip: 'En mg' },
    ]);
  });

  test('are those of the type, or the place of the other one is told', () => {
    const values = [
      { id: 'dosis', value: '1' },
      { id: 'x', value: '1' },
    ] as const;
    const failure = expect.objectContaining({ kind: 'invalid', at: 'fields/1/id' });
    expect(() => fillTicketFields(type, values)).toThrow(failure);
  });
});

describe('a filter of tickets', () => {
  const ticket = { createdAt: '2026-10-19T02:30:00.000Z', ticketTypeId: 'receta', status: 'pending' };

  test.each([
    [{}, true],
    [{ from: '2026-10-18', to: '2026-10-18' }, true],
    [{ from: '2026-10-19' }, false],
    [{ to: '2026-10-17' }, false],
    [{ ticketTypeId: 'receta', status: 'pending' }, true],
    [{ ticketTypeId: 'otro' }, false],
    [{ status: 'completed' }, false],
  ])('%j goes by the days of the institution, both included: %s', (filter, matches) => {
    expect(matchesTicketFilter(ticket, filter, new Zone('America/Argentina/Buenos_Aires'))).toBe(matches);
  });
});

describe('a list with the newest first', () => {
  test('is by the moment of creation, and leaves those of one moment as they stand', () => {
    const rows = [
      { id: 'a', createdAt: '2026-01-01T10:00:00.000Z' },
      { id: 'b', createdAt: '2026-01-01T10:00:00.001Z' },
      { id: 'c', createdAt: '2026-01-01T10:00:00.000Z' },
      { id: 'd', createdAt: '2025-12-31T10:00:00.000Z' },
      { id: 'e', createdAt: '2026-01-01T10:00:00Z' },
      { id: 'f', createdAt: '2026-01-01T10:00:01+03:00' },
    ];
    expect(rows.toSorted(compareNewestFirst).map(({ id }) => id)).toEqual(['b', 'a', 'c', 'e', 'f', 'd']);
  });
});
