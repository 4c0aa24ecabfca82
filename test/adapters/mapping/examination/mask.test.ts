import { describe, expect, test } from '@jest/globals';
import { exceptCodes, mask, replaceAnswer } from '../../../../adapters/mapping/examination/mask.ts';
import { loadMapping } from '../../../../adapters/mapping/file/load.ts';

const file = loadMapping('examples/mapping-http/hospital.yaml');

const hide = (answers: 'json' | 'xml' | 'csv', answer: string) => {
  const mapping = { ...file, http: { ...file.http!, answers, separator: ';' } };
  return replaceAnswer({ sent: '', answer, status: 200 }, mapping, exceptCodes(mapping, mask));
};

describe('an answer whose values are hidden', () => {
  test.each([
    [
      'json',
      '{"SEXO":"1","HC":"A-12","a":[{"b":-7.5,"c":true,"d":null,"é\\"":"Á\\"ñ"}]}',
      '{"SEXO":"1","HC":"X-00","a":[{"b":-0.0,"c":true,"d":null,"é\\"":"X\\"x"}]}',
    ],
    ['json', '<p>Ana is "not" here</p>', '<x>Xxx xx "xxx" xxxx</x>'],
    [
      'xml',
      '<?xml version="1.0"?><a:B xmlns:a="urn:Ana" id="Ana 1"><!-- Ana --><SEXO>1</SEXO><C>Núñ&amp;ez</C></a:B>',
      '<?xml version="1.0"?><a:B xmlns:a="urn:Ana" id="Xxx 0"><SEXO>1</SEXO><C>Xxxxxx</C></a:B>',
    ],
    ['xml', '<A><![CDATA[Ana <b>12</b>]]></A>', '<A><![CDATA[Xxx <x>00</x>]]></A>'],
    ['xml', '<A><CODIGO>12</CODIGO><PAGINAS>31</PAGINAS></A>', '<A><CODIGO>12</CODIGO><PAGINAS>31</PAGINAS></A>'],
    [
      'xml',
      '<A><CODIGO>77</CODIGO><PAGINAS>1234567</PAGINAS></A>',
      '<A><CODIGO>00</CODIGO><PAGINAS>0000000</PAGINAS></A>',
    ],
    ['csv', 'NOMBRE;SEXO\r\n"Ana; Eva";1\r\n', 'NOMBRE;SEXO\r\n"Xxx; Xxx";1\r\n'],
  ] as const)('keeps names, structure, codes and lengths of %s: %s', (answers, answer, hidden) => {
    expect(hide(answers, answer)).toBe(hidden);
  });
});
