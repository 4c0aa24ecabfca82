import { describe, expect, test } from '@jest/globals';
import {
  createDateParser,
  findPart,
  findPatternFault,
  formatDate,
  parseIso,
} from '../../../../adapters/mapping/formats/date-pattern.ts';

describe('a pattern', () => {
  test.each([
    ['dd/MM/yyyy', '30/11/1985', '1985-11-30T00:00:00'],
    ['yyyyMMddHHmmss', '20261201082005', '2026-12-01T08:20:05'],
    ['yyyy-MM-ddTHH:mm', '2026-12-01T08:20', '2026-12-01T08:20:00'],
    ['HH:mm', '08:20', '0001-01-01T08:20:00'],
    ['dd.MM.yyyy', '29.02.2024', '2024-02-29T00:00:00'],
  ])('%s reads %s, and writes it', (pattern, text, local) => {
    expect(createDateParser(pattern)(text)).toBe(local);
    expect(formatDate(pattern, local)).toBe(text);
  });

  test.each([
    ['dd/MM/yyyy', '30/02/1985'],
    ['dd/MM/yyyy', '29/02/2023'],
    ['dd/MM/yyyy', '00/01/1985'],
    ['dd/MM/yyyy', '01/13/1985'],
    ['dd/MM/yyyy', '1/1/1985'],
    ['dd/MM/yyyy', '30/11/85'],
    ['dd/MM/yyyy', '30/11/1985 '],
    ['dd.MM.yyyy', '30/11/1985'],
    ['yyyy-MM-dd HH:mm', '2026-12-01 24:00'],
    ['yyyy-MM-dd HH:mm', '2026-12-01 08:60'],
  ])('%s does not read %s', (pattern, text) => {
    expect(createDateParser(pattern)(text)).toBeUndefined();
  });

  test('writes a day alone with its time at midnight', () => {
    expect(formatDate('dd/MM/yyyy HH:mm', '1985-11-30')).toBe('30/11/1985 00:00');
  });

  test('has a part for the day and one for the time', () => {
    expect(findPart('HH:mm dd/MM/yyyy', 'day')).toBe('dd/MM/yyyy');
    expect(findPart('dd/MM/yyyy HH:mm', 'time')).toBe('HH:mm');
    expect(findPart('dd/MM/yyyy', 'time')).toBeUndefined();
  });

  test.each(['dd/MM/yyyy', 'yyyy-MM-ddTHH:mm:ss'])('%s has no fault', (pattern) => {
    expect(findPatternFault(pattern, ['yyyy', 'MM', 'dd'])).toBeUndefined();
  });

  test.each([
    ['dd/mm/yyyy HH:mm', 'has minutes (mm) twice; write MM for the month'],
    ['dd/dd/yyyy', 'has dd twice'],
    ['d/M/yyyy', 'has the letters d; only yyyy MM dd HH mm ss stand for something'],
  ])('%s has one', (pattern, fault) => {
    expect(findPatternFault(pattern, ['yyyy', 'MM', 'dd'])).toBe(fault);
  });
});

describe('without a pattern', () => {
  test.each([
    ['1985-11-30', '1985-11-30T00:00:00'],
    ['2026-12-01 08:20', '2026-12-01T08:20:00'],
    ['2026-12-01T08:20:05.123', '2026-12-01T08:20:05'],
  ])('%s is read', (text, local) => {
    expect(parseIso(text)).toBe(local);
  });

  test.each(['30/11/1985', '1985-02-30', '2026-12-01T08', ''])('"%s" is not', (text) => {
    expect(parseIso(text)).toBeUndefined();
  });
});
