import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { loadMapping } from '../../../../adapters/mapping/file/load.ts';
import { SettingsProblem } from '../../../../src/toolkit/problems.ts';
import { resolveReferences } from '../../../../src/toolkit/secret.ts';
import { ConfigFolder } from '../../../support/config-file.ts';
import { listFormless } from '../../../support/error-form.ts';
import { brokenHttp, brokenSql } from '../../../support/mapping/broken-files.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

const readSupport = (name: string): string => readFileSync(`test/support/mapping/${name}.yaml`, 'utf8');
const sql = readSupport('small-sql');
const http = readSupport('small-http');
const clinic = readFileSync('examples/mapping-sql/clinica.yaml', 'utf8');

/** What is said of a file, without its name; nothing when it can be used. */
function listProblems(content: string | Buffer): readonly string[] {
  const path = folder.write('his.yaml', content);
  try {
    loadMapping(path);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    expect(error.setting).toBe('file');
    const name = folder.formatPath('his.yaml');
    expect(error.problems.filter((line) => !line.startsWith(name))).toEqual([]);
    expect(listFormless(error.problems)).toEqual([]);
    return error.problems.map((line) => line.slice(name.length).replace(/^:/, ''));
  }
}

const breakFile = (whole: string, from: string, to: string): string => {
  expect(whole.split(from).length).toBeGreaterThan(1);
  return whole.replace(from, () => to);
};

describe('a file that is right', () => {
  test.each(['small-sql', 'small-http', 'hospital'])('%s.yaml has no problem', (name) => {
    expect(listProblems(readSupport(name))).toEqual([]);
  });

  test('the example over SQL has no problem', () => {
    expect(() => loadMapping('examples/mapping-sql/clinica.yaml')).not.toThrow();
  });

  test('lets the relative file: of a secret mean from its folder, also in a body of XML', () => {
    const secrets =
      'headers: { X-Api-Key: file:secrets/api.key, X-Other: env:OTHER }\n  tls: { key: file:/etc/client.pem }';
    const changed = breakFile(http, 'headers: { X-Api-Key: env:HIS_KEY }', secrets);
    const file = loadMapping(folder.write('his.yaml', changed));
    expect(file.http?.headers).toEqual({ 'X-Api-Key': `file:${folder.path}/secrets/api.key`, 'X-Other': 'env:OTHER' });
    expect(file.http?.tls.key).toBe('file:/etc/client.pem');
    const body = { text: '<a><clave> file:xml.key </clave><b>file: 3</b></a>' };
    resolveReferences(body, folder.path);
    expect(body.text).toBe(`<a><clave> file:${folder.path}/xml.key </clave><b>file: 3</b></a>`);
  });

  test('has what was left out', () => {
    const { rules, codes } = loadMapping(folder.write('his.yaml', http));
    expect({ rules, codes }).toEqual({ rules: { cancelUntilHours: 0 }, codes: {} });
  });

  test('has octal and hexadecimal numbers as texts, as they are written', () => {
    const changed = breakFile(sql, 'minAge: edad', 'minAge: { from: edad, none: [0o17, 0x1F, 017, 17] }');
    expect(loadMapping(folder.write('his.yaml', changed)).services?.fields.minAge).toEqual({
      from: 'edad',
      none: ['0o17', '0x1F', '017', 17],
    });
  });

  test('has codes as they are written, with their zeros', () => {
    const { codes, locations } = loadMapping(
      folder.write(
        'his.yaml',
        `codes: { a: { 01: x, 1: y } }\n${http.replace('id: CODIGO', 'id: { from: C, none: [00] }')}`,
      ),
    );
    expect(codes).toEqual({ a: { '01': 'x', '1': 'y' } });
    expect(locations?.fields).toEqual({ id: { from: 'C', none: ['00'] } });
  });
});

describe('a broken file is told with line, column, thing, field and what mends it', () => {
  test('there are at least sixty of them', () => {
    expect(brokenSql.length + brokenHttp.length).toBeGreaterThanOrEqual(60);
  });

  test.each(brokenSql)('over SQL: %s', (_, from, to, problems) => {
    expect(listProblems(breakFile(sql, from, to))).toEqual(problems);
  });

  test.each(brokenHttp)('over HTTP: %s', (_, from, to, problems) => {
    expect(listProblems(breakFile(http, from, to))).toEqual(problems);
  });

  test('all problems are told at once', () => {
    const broken = breakFile(
      breakFile(breakFile(sql, 'system:', 'sistem:'), 'dd/MM/yyyy', 'dd/MM/YYYY'),
      'order: id\n',
      'byId: SELECT * FROM pacientes WHERE id = :ident\n',
    );
    expect(listProblems(broken)).toEqual([
      '1:1 system: is missing: add it',
      '1:1 sistem: is not known: did you mean system?',
      '18:5 patients.fields.birthDate: `format` has the letters YYYY: write yyyy',
      '9:3 patients.byId: :ident is not known: use one of :id',
    ]);
  });

  test.each(['lastDay', 'end'])('absences whose %s no key finds', (end) => {
    const days = end === 'end' ? 'start: desde, end: hasta' : 'firstDay: desde, lastDay: hasta';
    const absences = `exceptions:\n  select: SELECT * FROM ausencias\n  keys: { firstDay: desde }\n  fields: { ${days} }\n`;
    expect(listProblems(`${absences}${sql}`)).toContain(
      `3:3 exceptions.keys: requires lastDay because an absence has \`${end}\`: add its column`,
    );
    expect(listProblems(`${absences.replace('desde }', 'desde, lastDay: hasta }')}${sql}`)).not.toContainEqual(
      expect.stringContaining('lastDay'),
    );
  });

  test('taken times of several practitioners of whom a key compares one', () => {
    const taken = `taken:
  select: SELECT * FROM ocupados
  keys: { start: inicio, practitionerId: medico }
  fields: { practitionerId: { from: [medico, ayudante] }, start: inicio }
`;
    expect(listProblems(`${taken}${sql}`)).toEqual([
      '3:26 taken.keys.practitionerId: compares one practitioner, and a taken time has several: remove this key, so that Puente reads all taken times',
    ]);
    expect(listProblems(`${taken.replace(', practitionerId: medico', '')}${sql}`)).toEqual([]);
  });

  test.each([
    ['over SQL', clinic, 'WHERE nro_turno = :slotId', 'WHERE cod_agenda = :scheduleId AND nro_turno = :slotId'],
    ['over HTTP', readSupport('hospital'), 'turnos: :slotIds', 'turnos: :slotIds\n      agenda: :scheduleId'],
  ])('a booking %s by an agenda that slots do not have', (_, whole, from, to) => {
    const booking = breakFile(whole, from, to);
    const agenda = /(?<=\nslots:[\s\S]*?)\n {4}scheduleId:.*/;
    expect(listProblems(booking)).toEqual([]);
    expect(booking).toMatch(agenda);
    expect(listProblems(booking.replace(agenda, ''))).toEqual([
      expect.stringContaining(
        'uses :scheduleId, which slots do not have: add the field scheduleId to `slots`, or remove the name',
      ),
    ]);
  });

  test.each(['inicio', 'o.inicio'])('taken times whose day a key compares with their time, %s', (column) => {
    const taken = `taken:
  select: SELECT * FROM ocupados o
  keys: { day: ${column} }
  fields: { practitionerId: medico, start: inicio }
`;
    const problem =
      '3:11 taken.keys.day: compares days with a column of times, so the times of the last day would be missing: write the column as the key `start`';
    expect(listProblems(`${taken}${sql}`)).toEqual([problem]);
    expect(listProblems(`${taken.replace('start: inicio', 'start: { from: [inicio, hora] }')}${sql}`)).toEqual([]);
    expect(listProblems(`${taken.replace('day:', 'start:')}${sql}`)).toEqual([]);
  });

  test('a coverage of appointments without the coverages', () => {
    const broken = clinic.replace(/\ncoverages:[\s\S]*?(?=\nslots:)/, '');
    expect(broken.length).toBeLessThan(clinic.length);
    expect(listProblems(broken)).toContainEqual(
      expect.stringMatching(
        /appointments.fields.coverageId: leads to no coverage, because the file has no `coverages`: add them, or remove the field$/,
      ),
    );
  });

  test('one that is empty', () => {
    expect(listProblems('')).toEqual([
      '1:1 system: is missing: add it',
      '1:1 the file: has neither `http` nor `database`: add one of them to reach the system',
    ]);
  });

  test('one that is a list', () => {
    expect(listProblems('- a\n')).toEqual([
      '1 must contain keys and values, like the examples in docs/tutorials/mapping.md',
    ]);
  });

  test('one that is not written in UTF-8', () => {
    expect(listProblems(Buffer.from('system: clínica\n', 'latin1'))).toEqual([
      ' is not in UTF-8, so letters with accents are lost: save it as UTF-8, or set another one with settings.file of the adapter',
    ]);
  });

  test('one that is too large', () => {
    expect(listProblems(`${sql}#${'x'.repeat(300_000)}`)).toEqual([
      ' is larger than 256 KiB: set another one with settings.file of the adapter',
    ]);
  });

  test('one that is not there', () => {
    expect(() => loadMapping(`${folder.path}/none.yaml`)).toThrow(
      'none.yaml: does not exist: correct the path, or set another one with settings.file of the adapter',
    );
  });

  test('no secret and no value of the file is repeated', () => {
    const broken = breakFile(http, 'clave: env:HIS_PASSWORD', 'clave: hunter2');
    expect(listProblems(broken).join()).not.toContain('hunter2');
  });
});
