import { describe, expect, test } from '@jest/globals';
import {
  createMomentReader,
  findPart,
  findPatternFault,
  formatMoment,
} from '../../../../adapters/mapping/formats/date-pattern.ts';

describe('a pattern', () => {
  test.each([
    ['dd/MM/yyyy', '30/11/1985', '1985-11-30T00:00:00'],
    ['yyyyMMddHHmmss', '20261201082005', '2026-12-01T08:20:05'],
    ['yyyy-MM-ddTHH:mm', '2026-12-01T08:20', '2026-12-01T08:20:00'],
    ['HH:mm', '08:20', '0001-01-01T08:20:00'],
    ['dd.MM.yyyy', '29.02.2024', '2024-02-29T00:00:00'],
  ])('%s reads %s, and writes it', (pattern, text, local) => {
    expect(createMomentReader(pattern)(text)).toEqual({ local });
    expect(formatMoment(pattern, { local })).toBe(text);
  });

  test.each([
    ['dd/MM/yyyy', '30/02/1985'],
    ['dd/MM/yyyy', '29/02/2023'],
    ['dd/MM/yyyy', '32/01/1985'],
    ['dd/MM/yyyy', '01/13/1985'],
    ['dd/MM/yyyy', '1/1/1985'],
    ['dd/MM/yyyy', '30/11/85'],
    ['dd/MM/yyyy', '30/11/1985 '],
    ['dd.MM.yyyy', '30/11/1985'],
    ['yyyy-MM-dd HH:mm', '2026-12-01 24:01'],
    ['yyyy-MM-dd HH:mm', '2026-12-01 08:60'],
    ['yyyy-MM-dd HH:mm:ssZ', '2026-12-01 08:20:00'],
  ])('%s does not read %s', (pattern, text) => {
    expect(createMomentReader(pattern)(text)).toBeUndefined();
  });

  test('writes a day alone with its time at midnight', () => {
    expect(formatMoment('dd/MM/yyyy HH:mm', { local: '1985-11-30' })).toBe('30/11/1985 00:00');
  });

  test('has a part for the day and one for the time', () => {
    expect(findPart('HH:mm dd/MM/yyyy', 'day')).toBe('dd/MM/yyyy');
    expect(findPart('dd/MM/yyyy HH:mm', 'time')).toBe('HH:mm');
    expect(findPart('dd/MM/yyyy', 'time')).toBeUndefined();
  });

  test.each([
    'dd/MM/yyyy',
    'yyyy-MM-ddTHH:mm:ss',
    'yyyy-MM-ddT00:00:00.000Z',
    'yyyy-MM-dd HH:mm:ss.SSSXXX',
    'milliseconds',
  ])('%s has no fault', (pattern) => {
    expect(findPatternFault(pattern, ['yyyy', 'MM', 'dd'])).toBeUndefined();
  });

  test.each([
    ['dd/mm/yyyy HH:mm', 'has minutes (mm) twice: write MM for the month'],
    ['dd/dd/yyyy', 'has dd twice: remove one'],
    ['d/M/yyyy', 'has the letters d: use only yyyy MM dd HH mm ss SSS XXX Z'],
  ])('%s has one', (pattern, fault) => {
    expect(findPatternFault(pattern, ['yyyy', 'MM', 'dd'])).toBe(fault);
  });
});

describe('without a pattern', () => {
  test.each([
    ['1985-11-30', '1985-11-30T00:00:00'],
    ['2026-12-01 08:20', '2026-12-01T08:20:00'],
    ['2026-12-01T08:20:05.123', '2026-12-01T08:20:05'],
    ['2026-12-01 8:20', '2026-12-01T08:20:00'],
    ['2026-12-01 24:00', '2026-12-01T24:00:00'],
  ])('%s is read', (text, local) => {
    expect(createMomentReader()(text)).toEqual({ local });
  });

  test.each([
    ['2026-12-01T11:00:00Z', 0],
    ['2026-12-01T11:00:00.123Z', 0],
    ['2026-12-01 11:00:00+00', 0],
    ['2026-12-01T11:00:00-03:00', -180],
    ['2026-12-01T11:00:00-0300', -180],
    ['2026-12-01 11:00:00+05:45', 345],
  ])('%s is read with its zone', (text, offset) => {
    expect(createMomentReader()(text)).toEqual({ local: '2026-12-01T11:00:00', offset });
  });

  test.each(['7:30', '07:30', '730', '0730', '07:30:00', '07:30:00.000'])('%s is half past seven', (text) => {
    expect(createMomentReader(undefined, true)(text)?.local).toBe('0001-01-01T07:30:00');
  });

  test.each(['0000-00-00', '1985-00-00', '1985-05-00 00:00:00'])('%s is a day that is not known', (text) => {
    expect(createMomentReader()(text)).toEqual({ local: '' });
  });

  test.each(['30/11/1985', '1985-02-30', '2026-12-01T08', ''])('"%s" is not', (text) => {
    expect(createMomentReader()(text)).toBeUndefined();
  });
});
