import { describe, expect, test } from '@jest/globals';
import { createNameOrder, takePage } from '../../src/ports/index.ts';

const sort = (locale: string, ...names: readonly string[]): string[] =>
  names
    .map((name, id) => ({ id: String(id), name }))
    .toSorted(createNameOrder(locale))
    .map(({ name }) => name);

describe('the order of names', () => {
  test('is that of the language, without regard to case and accents', () => {
    expect(sort('es-AR', 'Óptica', 'nutrición', 'Ñandubay', 'Obesidad', 'NEUROLOGÍA', 'osteopatía')).toEqual([
      'NEUROLOGÍA',
      'nutrición',
      'Ñandubay',
      'Obesidad',
      'Óptica',
      'osteopatía',
    ]);
    expect(sort('sv', 'Öron', 'Ögon', 'Zoner')).toEqual(['Zoner', 'Ögon', 'Öron']);
    expect(sort('es-AR', 'Öron', 'Ögon', 'Zoner')).toEqual(['Ögon', 'Öron', 'Zoner']);
  });

  test('puts numbers in the order of their values', () => {
    expect(sort('es-AR', 'Plan 10', 'Plan 2')).toEqual(['Plan 2', 'Plan 10']);
  });

  test('puts what has no name before all else', () => {
    const [named, nameless] = [{ id: 'a', name: 'a' } as const, { id: 'b' } as const];
    const compare = createNameOrder('es-AR');
    expect([named, nameless].toSorted(compare)).toEqual([nameless, named]);
    expect([nameless, named].toSorted(compare)).toEqual([nameless, named]);
  });

  test('is by id where names are the same', () => {
    const [a, b] = [{ id: 'a', name: 'x' } as const, { id: 'b', name: 'x' } as const];
    expect([b, a].toSorted(createNameOrder('es-AR'))).toEqual([a, b]);
  });
});

describe('a page of a list', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'];

  test.each([
    [{ page: 0, limit: 2 }, ['a', 'b']],
    [{ page: 2, limit: 2 }, ['e']],
    [{ page: 3, limit: 2 }, []],
    [undefined, rows],
  ])('%j has its rows and the number of all', (page, items) => {
    expect(takePage(rows, page)).toEqual({ items, total: 5 });
  });
});
