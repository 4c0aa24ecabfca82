import { describe, expect, test } from '@jest/globals';
import { isSameDocument, normalizeDocument } from '../../src/ports/index.ts';

describe('a document of identity', () => {
  test.each([
    [
      '31465466',
      '31.465.466',
      '31,465,466',
      '31-465-466',
      "31'465'466",
      '31’465’466',
      '31 465 466',
      '31\u00a0465\u00a0466',
    ],
    ['31465466', '031465466', '0031465466', '31.465466', ' 31465466 ', '31/465/466', '31_465_466', '３１４６５４６６'],
    [
      '31465466',
      'DNI 31465466',
      'dni31465466',
      'D.N.I. 31.465.466',
      'DNI Nº 31465466',
      'DNI Nro. 31465466',
      'DNI: 31465466',
    ],
  ])('is the DNI %s as %s, %s, %s, %s, %s, %s and so on', (value, ...spellings) => {
    const same = spellings.filter((each) => isSameDocument({ type: 'DNI', value }, { type: 'DNI', value: each }));
    expect(same).toEqual(spellings);
    expect(new Set(spellings.map((each) => normalizeDocument('DNI', each)))).toEqual(new Set([value]));
  });

  test.each([
    ['4011122.0', 'a float'],
    ['4011122.00', 'a float of two decimals'],
    ['4011122,5', 'a decimal comma'],
    ['401112²0', 'a superscript'],
    ['401112₂0', 'a subscript'],
    ['401112①0', 'a number in a circle'],
    ['4011122e1', 'an exponent'],
    ['4.011122E7', 'an exponent after decimals'],
    ['-40111220', 'a sign before it'],
    ['40111220-', 'a sign after it'],
    ['4011-1220', 'a mark that does not group by threes'],
    ['40.111,220', 'two kinds of marks'],
    ['40 111.220', 'a blank and a dot'],
    ['4011122 0', 'a blank before one digit'],
    ['4011A1220', 'a letter between digits'],
    ['4011122٠', 'a digit of another script'],
    ['DNIÑ40111220', 'a word that is not DNI'],
  ])('of the type DNI is no number when it is %s: %s', (text) => {
    expect(normalizeDocument('DNI', text)).not.toMatch(/^\d+$/);
    expect(normalizeDocument('DNI', normalizeDocument('DNI', text))).toBe(normalizeDocument('DNI', text));
  });

  test.each(['aab 123', 'AaB123', 'AAB\u00a0123', 'ＡＡＢ123', 'A\u200bAB 123'])(
    'is the passport AAB123 as %s',
    (text) => {
      expect(normalizeDocument('Passport', text)).toBe('AAB123');
    },
  );

  test.each([
    ['DNI', '31465466', '31465467'],
    ['DNI', '31465466', 'M31465466'],
    ['Passport', 'AAB0123', 'AAB123'],
    ['Passport', '0123', '123'],
    ['Passport', 'AAB-123', 'AAB123'],
    ['Passport', 'AAB²', 'AAB2'],
    ['Other', '12/34', '123/4'],
    ['Other', '4011122.0', '40111220'],
  ] as const)('of the type %s is not the same as %s when it is %s', (type, value, other) => {
    expect(isSameDocument({ type, value }, { type, value: other })).toBe(false);
  });

  test('is another one when its type is another', () => {
    expect(isSameDocument({ type: 'DNI', value: '1' }, { type: 'Passport', value: '1' })).toBe(false);
  });

  test('is shown as it is spelled, in upper case without blanks, unless it is a DNI', () => {
    expect(normalizeDocument('Other', '20-4022 2333-a')).toBe('20-40222333-A');
  });

  test('keeps its marks and blanks while its type is not known, since they count in some types', () => {
    expect(normalizeDocument(undefined, ' le  31.465 a ')).toBe('LE 31.465 A');
  });

  test('is none when it is marks alone', () => {
    expect(normalizeDocument('Other', ' - ')).toBe('');
    expect(normalizeDocument('DNI', '.')).toBe('');
    expect(normalizeDocument('DNI', '0')).toBe('0');
  });
});
