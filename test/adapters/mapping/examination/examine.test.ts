import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { makeDatabase, makeWeeklyClinic, writeMapping } from '../../../support/mapped-clinic.ts';
import { openHospital } from '../../../support/mapped-hospital.ts';
import { examineFile } from '../../../support/mapping-tools.ts';
import { openOpenmrs } from '../../../support/openmrs.ts';

async function examine(file: string, patient?: string) {
  const findings = await examineFile(file, patient);
  return {
    notes: findings.filter(({ ok }) => ok !== false).map(({ detail }) => detail),
    problems: findings.filter(({ ok }) => ok === false).map(({ detail }) => detail.replace(/^.*\.yaml:/, '')),
  };
}

/** Of the clinic, whose mapping file has something wrong. */
const examineClinic = (...change: [string, string]) =>
  examine(writeMapping(makeDatabase(), (text) => text.replace(...change)));

describe('puente doctor over a mapping file', () => {
  test('finds nothing wrong in a mapping file that fits its database, and counts what each question answers', async () => {
    const { notes, problems } = await examineClinic('', '');
    expect(problems).toEqual([]);
    expect(notes).toContainEqual(expect.stringMatching(/^locations\.all: 2 records in \d+ ms$/));
    expect(notes).toContainEqual(expect.stringMatching(/^slots\.between: [1-9]\d+ records/));
  });

  test('finds nothing wrong in one that fits a system over HTTP', async () => {
    const { file } = await openHospital();
    const { notes, problems } = await examine(file);
    expect(problems).toEqual([]);
    expect(notes.map((line) => line.split(':')[0])).toContain('practitioners.all');
  });

  test('says of each change that one alone may make whether it was tried, or why not', async () => {
    const file = writeMapping(makeDatabase());
    const listTried = async (patient?: string) => {
      const { notes, problems } = await examine(file, patient);
      expect(problems).toEqual([]);
      return notes.filter((line) => /twice|not tested/.test(line)).toSorted();
    };
    expect(await listTried()).toEqual(['changes are not tested: name an invented patient by --rehearse']);
    expect(await listTried('1001')).toEqual([
      'appointments.book was made twice and rolled back: the second one returns slot_taken',
      'coverages.create was made twice and rolled back: the second one returns exists',
      'patients.create was made twice and rolled back: the second one returns exists',
      'relatives.add was made twice and rolled back: the second one returns exists',
    ]);
    const { file: overHttp } = await openHospital();
    expect((await examine(overHttp, '1001')).notes).toContainEqual(
      expect.stringMatching(
        /^appointments.book is not tested, because it cannot be rolled back: puente contract tests it/,
      ),
    );
  });

  test('points at what a file cannot say where the system has it in a field that nobody reads', async () => {
    const { database, file } = makeWeeklyClinic();
    const sql = new DatabaseSync(database);
    const pointing = async (file: string) =>
      (await examine(file)).notes.filter((line) => /limits-of-a-file/.test(line));
    sql.exec('ALTER TABLE semana ADD sobreturnos INTEGER DEFAULT 0; ALTER TABLE semana ADD cada_semanas INTEGER');
    expect(await pointing(file)).toEqual([]);
    sql.exec('UPDATE semana SET sobreturnos = 2, cada_semanas = 2');
    const see = 'see docs/reference/mapping-details.md#limits-of-a-file';
    expect(await pointing(file)).toEqual([
      `schedules.all: no field reads sobreturnos: if a time has several places, ${see}`,
      `schedules.all: no field reads cada_semanas: if an agenda repeats every fortnight or month, ${see}`,
    ]);
    const { openmrs, file: overHttp } = await openOpenmrs();
    expect(await pointing(overHttp)).toEqual([]);
    openmrs.hospital.unavailabilities.push({ startDate: '2026-01-01', endDate: '9999-01-01', recurrence: 'WEEKLY' });
    expect(await pointing(overHttp)).toEqual([
      expect.stringMatching(/^exceptions.between: no field reads recurrence: /),
    ]);
  });

  test.each([
    [
      'phone: telefono',
      'phone: telefon',
      /^\d+:5 patients.fields.phone: there is no column telefon: did you mean telefono\?/,
    ],
    ['SELECT * FROM sedes', 'SELECT * FROM sede', /^\d+:1 locations.all: the database rejects it: no such table: sede/],
    ["SET estado = 'C'", "SET estada = 'C'", /^\d+:3 appointments.cancel: .* no such column: estada/],
    [
      '{ C: CONSULTA, P: PRACTICA }',
      '{ C: CONSULTA, Q: PRACTICA }',
      /^\d+:5 services.fields.type: does not match in 2 of the records that answer all: /,
    ],
    ['id: a.nro_afil,', 'id: a.nro_afi,', /^\d+:1 coverages.byId: .* no such column: a.nro_afi/],
  ])('names place, thing and field: %s as %s', async (right, wrong, problem) => {
    const { problems } = await examineClinic(right, wrong);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  test('tells a table of keys that lacks a column', async () => {
    const database = makeDatabase();
    new DatabaseSync(database).exec('ALTER TABLE puente_claves DROP COLUMN claimed_at');
    expect((await examine(writeMapping(database))).problems).toEqual([
      expect.stringMatching(/^\d+:\d+ database.remember: the table does not match: .*claimed_at/),
    ]);
  });

  test('tells a question that lacks the column of a field that must be there, and no other one', async () => {
    const questions = 'practitioners:\n  all: SELECT *, 1 AS sede, 1 AS especialidad FROM profesionales';
    const file = writeMapping(makeDatabase(), (text) =>
      text.replace(
        /^practitioners:.*?(?=\n {2}fields:)/ms,
        `${questions}\n  mainOf: SELECT p.nombre FROM profesionales p JOIN pacientes c ON mat_cabecera = matricula WHERE id_paciente = :patientId`,
      ),
    );
    const { problems } = await examine(file);
    expect(problems).toEqual([
      expect.stringMatching(/^\d+:3 practitioners.mainOf: there is no column matricula for id$/),
    ]);
  });

  test('says that the patient who is named is not there, and looks for that very id', async () => {
    const lines = async (patient: string) => (await examine(writeMapping(makeDatabase()), patient)).problems;
    expect(await lines('1001')).toEqual([]);
    expect(await lines('987654321')).toEqual([
      expect.stringMatching(/^\d+:1 patients.byId: finds no patient 987654321/),
    ]);
    const text = 'id: { from: id_paciente, numeric: true }';
    const decimal = writeMapping(makeDatabase(), (whole) =>
      whole.replace('SELECT p.*,', "SELECT p.*, p.id_paciente || '.00' AS numero,").replace(text, 'id: numero'),
    );
    expect((await examine(decimal, '1001')).problems).toEqual([
      expect.stringMatching(/^\d+:1 patients.byId: finds no patient 1001, but 1001.00/),
    ]);
  });

  test('says that a database cannot be asked, and by what, and does not end with a stack', async () => {
    process.env.LIVE_TEST_DOWN = 'postgres://u:p@127.0.0.1:1/x';
    const file = writeMapping('-', (text) =>
      text.replace(/kind: sqlite\n +file: -/, 'kind: postgres\n  url: env:LIVE_TEST_DOWN'),
    );
    expect((await examine(file)).problems).toEqual([
      expect.stringMatching(/^the system cannot be reached \(ECONNREFUSED/),
    ]);
  });

  test('tries a change with a record that is there, and moves no number of the hospital', async () => {
    const database = makeDatabase();
    const file = writeMapping(database, (text) =>
      text.replace(
        /(?<=\n {2}update:[^\n]*\n {4}steps:\n)[\s\S]*?(?=\n {2}fields:)/,
        () => `      - sql: |
          INSERT INTO pacientes (id_paciente, apellido, nombre, sexo, fec_nac) VALUES (:id, coalesce(:lastName, ''), coalesce(:name, ''), 'F', '01/01/1990')
          ON CONFLICT (id_paciente) DO UPDATE SET telefono = coalesce(:phone, telefono)`,
      ),
    );
    expect((await examine(file, '1001')).notes).toContainEqual('patients.update changed 1 row and was rolled back');
  });

  test('says that a question fails, by what', async () => {
    const { file } = await openHospital((text) => text.replace('GET /sedes', 'GET /sedez'));
    const { problems } = await examine(file);
    expect(problems).toContainEqual(
      expect.stringMatching(/^\d+:3 locations.all: fails with .*: run mapping try for details/),
    );
  });

  test('says once that the login is refused, and not for each question', async () => {
    process.env.LIVE_TEST_PASSWORD = 'wrong';
    const { file } = await openHospital((text) => text.replace('env:SIGHO_PASSWORD', 'env:LIVE_TEST_PASSWORD'));
    const { problems } = await examine(file);
    expect(problems).toEqual([
      expect.stringMatching(/^the system cannot be reached \(login_refused: .*: correct `login`\)$/),
    ]);
  });
});
