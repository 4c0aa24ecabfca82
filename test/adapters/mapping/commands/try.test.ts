import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { tryEntry } from '../../../../adapters/mapping/commands/try.ts';
import { ConfigProblems } from '../../../../src/toolkit/problems.ts';
import { makeDatabase, writeMapping } from '../../../support/mapped-clinic.ts';
import { openHospital, runSigho, writeHospitalMapping } from '../../../support/mapped-hospital.ts';
import { httpEdits, sqlEdits } from '../../../support/mapping/dangerous-edits.ts';
import { collect, examineFile, locateFile } from '../../../support/mapping-tools.ts';

const clinic = writeMapping(makeDatabase());

const attempt = (entry: string, given: object, options: object = {}, file = clinic) =>
  collect((print) => tryEntry(locateFile(file), { entry, given: { ...given } }, options, print));

describe('puente mapping try', () => {
  test('shows what was sent, what came and what each field became, with no value of a patient', async () => {
    const { result, printed } = await attempt('patients.byId', { id: '1001' });
    expect(result).toBe(true);
    expect(printed).toContain('WHERE p.id_paciente = ?1 [1001]');
    expect(printed).toContain('"apellido":"Xxxxxxxx"');
    expect(printed).toContain('lastName: Xxxxxxxx');
    expect(printed).toMatch(/birthDate: 0000-00-00[\s\S]*type: DNI/);
    expect(printed).not.toMatch(/Ferreyra|1985|31465466|ana@/);
  });

  test('shows them with --show-values', async () => {
    const { printed } = await attempt('patients.byId', { id: '1001' }, { showValues: true });
    expect(printed).toContain('lastName: Ferreyra');
    expect(printed).toContain('"fec_nac":"30/11/1985"');
  });

  test('shows the login and the answer of a system over HTTP, without a secret and a value of a patient', async () => {
    const { file } = await openHospital();
    const { printed } = await attempt('patients.byId', { id: '1001' }, {}, file);
    expect(printed).toContain('POST /entrar\nanswer (200)');
    expect(printed).toMatch(
      /GET \/pacientes\/1001\nanswer \(200, code 0\)[\s\S]*<CODIGO>0<\/CODIGO>[\s\S]*<APENOM>X+, X+<\/APENOM>/,
    );
    expect(printed).not.toMatch(/secreta|FERREYRA|31\.?465/i);
  });

  test('shows the code of an answer, which the file may not name yet', async () => {
    const { file } = await openHospital((text) => text.replace('4: nothing', '444: nothing'));
    const { printed } = await attempt('patients.byId', { id: '9999' }, {}, file);
    expect(printed).toMatch(/GET \/pacientes\/9999\nanswer \(200, code 4\)/);
  });

  test('says which field of a record does not fit, and hides whose record it is', async () => {
    const file = writeMapping(makeDatabase(), (text) => text.replace('format: dd/MM/yyyy', 'format: yyyy/MM/dd'));
    const { result, printed } = await attempt('patients.byId', { id: '1001' }, {}, file);
    expect(result).toBe(false);
    expect(printed).toContain('does not fit: birthDate of 0000; expected a day, written yyyy/MM/dd\n');
  });

  test.each<readonly [string, string, string, string, object, string]>([
    [
      'a code that no table has',
      'gender: { F: Female',
      'gender: { H: Female',
      'patients.byId',
      { id: '1001' },
      'does not fit: gender of 0000; expected one of H, M, X',
    ],
    [
      'an id that a path cannot carry',
      'id: { from: cod_os, numeric: true }',
      'id: nombre',
      'carriers.all',
      {},
      'expected an id without blanks',
    ],
    [
      'what is no number',
      'minutes: minutos',
      'minutes: estado',
      'slots.between',
      { from: '2000-01-01', to: '2100-01-01' },
      '; expected a number\n',
    ],
  ])('says what was expected in the place of %s', async (_, from, to, entry, given, expected) => {
    const file = writeMapping(makeDatabase(), (text) => {
      expect(text).toContain(from);
      return text.replace(from, to);
    });
    expect((await attempt(entry, given, {}, file)).printed).toContain(expected);
  });

  test('shows code and words of the database, which name no value', async () => {
    const wrong = writeMapping(makeDatabase(), (text) => text.replace('FROM sedes', 'FROM sedez'));
    expect((await attempt('locations.all', {}, {}, wrong)).printed).toContain(
      'fails: unavailable (SQLITE_1: no such table: sedez)',
    );
  });

  test('says what an answer has in the place of records', async () => {
    const { file } = await openHospital((text) =>
      text.replace('GET /sedes\n    records: FILA', 'GET /sedes\n    records: SEDES.FILA'),
    );
    const { printed } = await attempt('locations.all', {}, {}, file);
    expect(printed).toMatch(/the answer has no `records: SEDES.FILA`, but CODIGO, .*FILA/);
  });

  test('says that an answer is too large, and which limit of the file it meets', async () => {
    const { file } = await openHospital((text) => text.replace('  charset:', '  bytes: 65536\n  charset:'));
    const given = { from: '2000-01-01', to: '2100-01-01' };
    const { printed } = await attempt('slots.between', given, {}, file);
    expect(printed).toContain('fails: bad_answer (TOO_LARGE: the answer is too large: ask for less, or raise');
  });

  test('says that a login is refused', async () => {
    const { file } = await openHospital((text) => text.replace('env:SIGHO_PASSWORD', 'env:SIGHO_USER'));
    const { printed } = await attempt('locations.all', {}, {}, file);
    expect(printed).toContain(
      'fails: backend_auth (login_refused: the answer to the login has neither a success code nor a session',
    );
  });

  test('says what it would send of a change, and changes nothing', async () => {
    const file = writeMapping(makeDatabase());
    const given = { patientId: '1001', appointmentId: '9001' };
    const { printed } = await attempt('appointments.cancel', given, {}, file);
    expect(printed).toContain("WHERE nro_ppal = ?1 AND estado = 'R' [9001]");
    const { printed: really } = await attempt('appointments.cancel', given, { really: true }, file);
    expect(really).toContain('fails: done');
  });

  test.each([
    ['patients.byID', {}, 'the mapping file has no patients.byID: did you mean patients.byId?'],
    ['coverages.ofPatient', { patientID: '1' }, 'takes no patientID: did you mean patientId?'],
    ['locations.all', { id: '1' }, 'locations.all takes no id: remove it'],
  ])('refuses %s with %j', async (entry, given, message) => {
    await expect(attempt(entry, given)).rejects.toThrow(message);
  });

  test('prints the first ten of many records, and the number of the others', async () => {
    const { printed } = await attempt('slots.between', { from: '2000-01-01', to: '2100-01-01' });
    expect(printed.match(/^ {2}- id: /gm)).toHaveLength(10);
    expect(printed.match(/"nro_turno"/g)).toHaveLength(10);
    expect(printed.match(/^ {2}and \d+ more$/gm)).toHaveLength(2);
  });

  test('keeps the names of a long answer over HTTP, and hides its values', async () => {
    const places = Array.from({ length: 1_000 }, (_, i) => ({ codigo: i, nombre: 'Sede Norte' }));
    const server = createServer((_req, res) => void res.end(JSON.stringify(places)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const file = join(mkdtempSync(join(tmpdir(), 'puente-')), 'his.yaml');
    writeFileSync(
      file,
      `system: his\nhttp: { url: 'http://127.0.0.1:${port}' }\nlocations:\n  all: { request: GET /sedes }\n  fields: { id: codigo, name: nombre }\n`,
    );
    const { printed } = await attempt('locations.all', {}, {}, file).finally(() => server.close());
    expect(printed).toContain('"nombre":"Xxxx Xxxxx"');
    expect(printed).toMatch(/^ {2}and \d+ more characters$/m);
    expect(printed).not.toContain('Norte');
  });

  test('says that nothing was sent where what is asked for cannot exist', async () => {
    const { printed } = await attempt('patients.byId', { id: 'ana' });
    expect(printed).toContain('nothing was sent: a record with these values cannot exist there');
  });
});

/** What `check` and `doctor` say of a file. */
async function examine(file: string): Promise<string> {
  try {
    return (await examineFile(file, '1001')).map(({ detail }) => detail).join('\n');
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    return error.message;
  }
}

const edit = (from: string, to: string) => (text: string) => {
  expect(text.split(from).length).toBeGreaterThan(1);
  return text.replace(from, () => to);
};

const isRefused = ([, , , refused]: (typeof sqlEdits)[number]): boolean => refused !== 'contract';

test('of more than forty dangerous edits of the examples all but two are refused by puente check', () => {
  const all = [...sqlEdits, ...httpEdits];
  expect(all.length).toBeGreaterThanOrEqual(40);
  expect(all.filter((each) => !isRefused(each)).length).toBeLessThanOrEqual(2);
});

describe('puente check refuses', () => {
  test.each(sqlEdits.filter(isRefused))('over SQL: %s', async (_, from, to, refused) => {
    expect(await examine(writeMapping(makeDatabase(), edit(from, to)))).toContain(refused);
  });

  test.each(httpEdits.filter(isRefused))('over HTTP: %s', async (_, from, to, refused) => {
    const { url } = await runSigho();
    expect(await examine(writeHospitalMapping(url, edit(from, to)))).toContain(refused);
  });
});
