import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { examineLive } from '../../../src/cli/mapping/try.ts';
import { makeDatabase, makeWeeklyClinic, writeMapping } from '../../support/mapped-clinic.ts';
import { openHospital } from '../../support/mapped-hospital.ts';
import { locateFile } from '../../support/mapping-tools.ts';
import { openOpenmrs } from '../../support/openmrs.ts';

async function examine(file: string) {
  const notes: string[] = [];
  const problems = await examineLive(locateFile(file), (line) => notes.push(line));
  return { notes, problems: problems.map((line) => line.replace(/^.*\.yaml:/, '')) };
}

/** Of the clinic, whose mapping file has something wrong. */
const examineClinic = (...change: [string, string]) =>
  examine(writeMapping(makeDatabase(), (text) => text.replace(...change)));

describe('puente check --live', () => {
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
      const notes: string[] = [];
      expect(await examineLive(locateFile(file), (line) => notes.push(line), patient)).toEqual([]);
      return notes.filter((line) => /twice|not tried/.test(line)).toSorted();
    };
    const unknown = 'is not tried, since there is no such patient: name an invented one by --patient';
    expect(await listTried()).toEqual([
      `appointments.book ${unknown}`,
      `coverages.create ${unknown}`,
      'patients.create was made twice and undone: the second one means exists',
      `relatives.add ${unknown}`,
    ]);
    expect(await listTried('1001')).toHaveLength(4);
    expect(await listTried('1001')).not.toContainEqual(expect.stringContaining('not tried'));
    const { file: overHttp } = await openHospital();
    expect((await examine(overHttp)).notes).toContainEqual(
      expect.stringMatching(/^appointments.book is not tried, since it could not be undone: puente contract tries it/),
    );
  });

  test('points at what a file cannot say where the system has it in a field that nobody reads', async () => {
    const { database, file } = makeWeeklyClinic();
    const sql = new DatabaseSync(database);
    const pointing = async (file: string) => (await examine(file)).notes.filter((line) => /cannot-say/.test(line));
    sql.exec('ALTER TABLE semana ADD sobreturnos INTEGER DEFAULT 0; ALTER TABLE semana ADD cada_semanas INTEGER');
    expect(await pointing(file)).toEqual([]);
    sql.exec('UPDATE semana SET sobreturnos = 2, cada_semanas = 2');
    const see = 'see docs/mapping.md#what-a-file-cannot-say';
    expect(await pointing(file)).toEqual([
      `schedules.all: no field reads sobreturnos; if it says that a time has several places, ${see}`,
      `schedules.all: no field reads cada_semanas; if it says that an agenda is every fortnight or month, ${see}`,
    ]);
    const { openmrs, file: overHttp } = await openOpenmrs();
    expect(await pointing(overHttp)).toEqual([]);
    openmrs.hospital.unavailabilities.push({ startDate: '2026-01-01', endDate: '9999-01-01', recurrence: 'WEEKLY' });
    expect(await pointing(overHttp)).toEqual([
      expect.stringMatching(/^exceptions.between: no field reads recurrence; /),
    ]);
  });

  test.each([
    [
      'phone: telefono',
      'phone: telefon',
      /^\d+:5 patients.fields.phone: there is no column telefon; did you mean telefono\?/,
    ],
    [
      'SELECT * FROM sedes',
      'SELECT * FROM sede',
      /^\d+:3 locations.all: the database does not take it: no such table: sede/,
    ],
    ["SET estado = 'C'", "SET estada = 'C'", /^\d+:3 appointments.cancel: .* no such column: estada/],
    [
      '{ C: CONSULTA, P: PRACTICA }',
      '{ C: CONSULTA, Q: PRACTICA }',
      /^\d+:5 services.fields.type: does not fit in 2 of the records that answer all;/,
    ],
    [
      'byId: WHERE a.nro_afil = :id',
      'byId: WHERE a.nro_afi = :id',
      /^\d+:3 coverages.byId: .* no such column: a.nro_afi/,
    ],
  ])('names place, thing and field: %s as %s', async (right, wrong, problem) => {
    const { problems } = await examineClinic(right, wrong);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  test('tells a table of keys that lacks a column', async () => {
    const database = makeDatabase();
    new DatabaseSync(database).exec('ALTER TABLE puente_claves DROP COLUMN claimed_at');
    expect((await examine(writeMapping(database))).problems).toEqual([
      expect.stringMatching(/^\d+:\d+ database.remember: the table is not as Puente needs it: .*claimed_at/),
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

  test('says that a question fails, by what', async () => {
    const { sigho, file } = await openHospital();
    await sigho.close();
    const { problems } = await examine(file);
    expect(problems).toContainEqual(
      expect.stringMatching(/^\d+:3 locations.all: fails with unavailable \(ECONNREFUSED\); see it by mapping try/),
    );
  });

  test('says once that the login is refused, and not for each question', async () => {
    process.env.LIVE_TEST_PASSWORD = 'wrong';
    const { file } = await openHospital((text) => text.replace('env:SIGHO_PASSWORD', 'env:LIVE_TEST_PASSWORD'));
    const { problems } = await examine(file);
    expect(problems).toEqual([expect.stringMatching(/^\d+:3 http.login: the system refuses it for every question;/)]);
  });
});
