import { describe, expect, test } from '@jest/globals';
import { isSameDocument, normaliseDocument, tidyDocument } from '../../src/ports/index.ts';

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
    expect(new Set(spellings.map((each) => tidyDocument('DNI', each)))).toEqual(new Set([value]));
  });

  test.each(['aab 123', 'AaB-123', 'AAB.123', "aab'123", 'AAB\u00a0123', 'ＡＡＢ123'])(
    'is the passport AAB123 as %s',
    (text) => {
      expect(normaliseDocument('Passport', text)).toBe('AAB123');
    },
  );

  test.each([
    ['DNI', '31465466', '31465467'],
    ['DNI', '31465466', 'M31465466'],
    ['Passport', 'AAB0123', 'AAB123'],
    ['Passport', '0123', '123'],
  ] as const)('of the type %s is not the same as %s when it is %s', (type, value, other) => {
    expect(isSameDocument({ type, value }, { type, value: other })).toBe(false);
  });

  test('is another one when its type is another', () => {
    expect(isSameDocument({ type: 'DNI', value: '1' }, { type: 'Passport', value: '1' })).toBe(false);
  });

  test('is shown as it is spelled, in upper case without blanks, unless it is a DNI', () => {
    expect(tidyDocument('Other', '20-4022 2333-a')).toBe('20-40222333-A');
  });

  test('is none when it is marks alone', () => {
    expect(normaliseDocument('Other', ' - ')).toBe('');
    expect(normaliseDocument('DNI', '0')).toBe('0');
  });
});
