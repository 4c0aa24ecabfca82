import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadMapping } from '../../../adapters/mapping/file/load.ts';
import { createInvention, exceptCodes, mask, record, replaceAnswer } from '../../../src/cli/mapping/record.ts';
import { runTests } from '../../../src/cli/mapping/test-file.ts';
import { makeDatabase, writeMapping } from '../../support/mapped-clinic.ts';
import { openHospital } from '../../support/mapped-hospital.ts';
import { collect, locateFile } from '../../support/mapping-tools.ts';
import { makeFolder } from '../../support/sqlite-state.ts';

const folder = makeFolder();

const clinic = writeMapping(makeDatabase());

describe('puente mapping record', () => {
  test('keeps questions as tests that pass, with invented values of the same shape', async () => {
    const out = join(folder, 'clinica.test.yaml');
    await record(locateFile(clinic), 'patients.byId', { id: '1001' }, out);
    await record(locateFile(clinic), 'slots.between', {}, out);
    const text = readFileSync(out, 'utf8');
    expect(text).not.toMatch(/Ferreyra|30\/11\/1985|1985-11-30|31465466|ana@correo|Santa Fe/);
    expect(text).toMatch(/apellido: [A-Z][a-z]{7}\n/);
    expect(text).toMatch(/fec_nac: \d\d\/\d\d\/\d{4}\n/);
    expect(text).toMatch(/sexo: F\n[\s\S]*gender: Female\n[\s\S]*type: DNI\n/);
    const { result, printed } = await collect((print) => runTests([out], clinic, print));
    expect(printed).toMatch(/^ok {4}patients.byId.*\nok {4}slots.between/);
    expect(result).toBe(0);
  });

  test('keeps all pages of an answer over HTTP, and no login', async () => {
    const { file } = await openHospital();
    const out = join(folder, 'hospital.test.yaml');
    await record(locateFile(file), 'practitioners.all', {}, out);
    await record(locateFile(file), 'patients.byId', { id: '1001' }, out);
    const text = readFileSync(out, 'utf8');
    expect(text).toMatch(/- GET \/profesionales\?pagina=1\n\s+- GET \/profesionales\?pagina=2/);
    expect(text).not.toMatch(/entrar|secreta|FERREYRA|31\.?465/i);
    const { printed } = await collect((print) => runTests([out], file, print));
    expect(printed).toMatch(/all passed/);
  });

  test('records no change', async () => {
    const cancel = record(locateFile(clinic), 'appointments.cancel', { patientId: '1001', appointmentId: '1' }, 'x');
    await expect(cancel).rejects.toThrow('appointments.cancel changes something; only questions are recorded');
  });
});

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

describe('invented values', () => {
  const invent = exceptCodes(file, createInvention(file));

  test('are the same for the same text, and leave codes as they are', () => {
    expect(invent('FERREYRA, ANA')).toBe(invent('FERREYRA, ANA'));
    expect(invent('DNI')).toBe('DNI');
  });

  test.each([
    ['FERREYRA, ANA', /^[A-Z]{8}, [A-Z]{3}$/],
    ['31.465.466', /^[1-9]\d\.[1-9]\d\d\.[1-9]\d\d$/],
    ['05465466', /^0\d{7}$/],
    ['30/11/1985', /^[12]\d\/1[0-2]\/198\d$/],
    ['08:20', /^1\d:[1-5]\d$/],
    ['2026-01-02T03:04:05.678-03:00', /^202\d-1[0-2]-[12]\dT1\d:[1-5]\d:00\.678-03:00$/],
  ])('have the shape of %s', (text, shape) => {
    expect(createInvention(file)(text)).toMatch(shape);
  });
});
