import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { foldAccents, includesText, pageQuery, paginate, toPageBody } from '../../../src/api/operations/page.ts';

const numbers = Array.from({ length: 25 }, (_, index) => index);
const query = z.object(pageQuery);

describe('a page', () => {
  test.each([
    ['counts from 0', 0, 10, numbers.slice(0, 10), 3],
    ['has the rest when it is the last', 2, 10, [20, 21, 22, 23, 24], 3],
    ['is empty beyond the last, with true totals', 3, 10, [], 3],
    ['is full where the limit divides the total', 4, 5, [20, 21, 22, 23, 24], 5],
  ])('%s', (_, page, limit, data, totalPages) => {
    const pagination = { totalPages, totalElements: 25, page, limit, numberOfElements: data.length };
    expect(paginate(numbers, { page, limit })).toEqual({ data, pagination });
  });

  test('is none when there is nothing', () => {
    expect(paginate([], { page: 0, limit: 10 }).pagination.totalPages).toBe(0);
  });

  test('has the totals that the port knows which has cut it', () => {
    const { data, pagination } = toPageBody({ items: ['k'], total: 11 }, { page: 1, limit: 10 });
    expect(data).toEqual(['k']);
    expect(pagination).toEqual({ totalPages: 2, totalElements: 11, page: 1, limit: 10, numberOfElements: 1 });
  });
});

describe('pageQuery', () => {
  test('is the first ten rows when nothing is asked', () => {
    expect(query.parse({})).toEqual({ page: 0, limit: 10 });
  });

  test('reads digits', () => {
    expect(query.parse({ page: '3', limit: '100' })).toEqual({ page: 3, limit: 100 });
  });

  test.each([
    { limit: '0' },
    { limit: '101' },
    { page: '-1' },
    { page: '1.5' },
    { page: '' },
    { page: 1 },
    { limit: '1e1' },
  ])('refuses %j', (request) => {
    expect(query.safeParse(request).error?.issues).toHaveLength(1);
  });
});

describe('fold', () => {
  test('makes case and accents disappear', () => {
    expect(foldAccents('Ginecología y Obstetricia')).toBe(foldAccents('GINECOLOGIA Y OBSTETRICIA'));
    expect(foldAccents('Nu\u0301n\u0303ez')).toBe(foldAccents('Núñez'));
    expect(foldAccents('İstanbul')).toBe('istanbul');
  });
});

describe('holds', () => {
  test('finds a part of a name whichever way it is written', () => {
    expect(includesText('Clínica médica', 'CLINICA')).toBe(true);
    expect(includesText('Clínica médica', 'medicá')).toBe(true);
    expect(includesText('Clínica médica', 'pediatria')).toBe(false);
  });

  test('finds everything when nothing is searched', () => {
    expect(includesText('Clínica médica', undefined)).toBe(true);
    expect(includesText('Clínica médica', '')).toBe(true);
  });
});
