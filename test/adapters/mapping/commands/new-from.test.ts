import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { proposeMapping } from '../../../../adapters/mapping/commands/new-from.ts';
import { tryEntry } from '../../../../adapters/mapping/commands/try.ts';
import { loadMapping } from '../../../../adapters/mapping/file/load.ts';
import { collect, locateFile } from '../../../support/mapping-tools.ts';
import { formatScore, scoreProposal } from '../../../support/proposals.ts';
import { makeFolder } from '../../../support/sqlite-state.ts';

const folder = makeFolder();

const hospitals: Readonly<Record<string, readonly string[]>> = {
  clinic: [
    'examples/clinic-adapter/legacy/schema.sql',
    'examples/clinic-adapter/legacy/sample.sql',
    'examples/mapping-sql/cartilla.sql',
  ],
  'santa-casa': ['test/support/proposals/santa-casa.sql'],
  'san-roque': ['test/support/proposals/san-roque.sql'],
};
const names = Object.keys(hospitals);
const readAll = (hospital: string) => hospitals[hospital]!.map((script) => readFileSync(script, 'utf8')).join('\n');

async function propose(statements: string) {
  const own = mkdtempSync(join(folder, 'proposal-'));
  const file = join(own, 'his.db');
  const database = new DatabaseSync(file);
  database.exec(statements);
  database.close();
  const path = join(own, 'his.yaml');
  return { path, ...(await proposeMapping(path, file)) };
}

/** Removes the first # of the lines of each thing that waits for answers. */
const uncomment = (text: string): string => text.replaceAll(/^#(?! [^ ]|$)/gm, '');

describe('puente mapping new --from', () => {
  test.each(names)('reads at most one field of twenty of %s otherwise than a person would', async (hospital) => {
    const { guesses } = await propose(readAll(hospital));
    const score = scoreProposal(hospital, guesses);
    process.stdout.write(formatScore(hospital, score));
    expect(score.right).toBeGreaterThan(45);
    expect(score.wrong.length).toBeLessThanOrEqual((score.right + score.wrong.length) / 20);
  });

  test.each(names)(
    'writes a file of %s that check takes, and whose things that are complete are read',
    async (hospital) => {
      const { path, complete, text } = await propose(readAll(hospital));
      // A column that the hospital adds later is not read.
      expect(text).not.toContain('SELECT *');
      expect(Object.keys(loadMapping(path))).toEqual(expect.arrayContaining([...complete]));
      for (const thing of ['practitioners', 'locations', 'services', 'carriers', 'plans'].filter((each) =>
        complete.includes(each as never),
      )) {
        const { result, printed } = await collect((print) =>
          tryEntry(locateFile(path), { entry: `${thing}.all`, given: {} }, {}, print),
        );
        expect({ result, printed: result || printed }).toEqual({ result: true, printed: true });
      }
    },
  );

  test('leaves a question where a key is missing that it needs: check names its line', async () => {
    const { path, text } = await propose(
      "CREATE TABLE pacientes (id INTEGER PRIMARY KEY, nombre TEXT, apellido TEXT, sexo INTEGER, nro_doc TEXT); INSERT INTO pacientes VALUES (1, 'Ana', 'Paz', 1, '31465466'), (2, 'Bo', 'Gil', 2, '22333444')",
    );
    expect(text).toContain('#    gender: # ? needed: its values are not known codes: sexo (9)');
    expect(text).toMatch(/^#patients: # pacientes, 2 rows$/m);
    writeFileSync(path, uncomment(text));
    expect(() => loadMapping(path)).toThrow(/his\.yaml:\d+:\d+ patients\.fields\.gender: /);
  });

  test('shows no value of a person: masks have neither letters, digits nor the length of a name', async () => {
    const { text } = await propose(
      "CREATE TABLE pacientes (id INTEGER PRIMARY KEY, nombre TEXT, alias TEXT, nota TEXT); INSERT INTO pacientes VALUES (1, 'Ñuflo', 'Maximiliano-Q', 'vive en Salta 4455'), (2, 'Ana', 'Li', NULL)",
    );
    expect(text).not.toMatch(/Ñuflo|Maximiliano|Salta|4455|Li\b/);
    expect(text).toContain('alias (AA | AAA…-A)');
    expect(text).toContain('nota (AAA… AA AAA… 9999)');
  });

  test.each([
    ['FL_ANUL', "coalesce(FL_ANUL, '') <> 'S'"],
    ['anulado', "coalesce(anulado, '') <> 'S'"],
    ['fl_excluido', "coalesce(fl_excluido, '') <> 'S'"],
    ['voided', "coalesce(voided, '') <> 'S'"],
  ])('leaves out what is annulled or deleted: %s', async (column, where) => {
    const { text } = await propose(
      `CREATE TABLE medicos (matricula INTEGER PRIMARY KEY, nombre TEXT, ${column} TEXT); INSERT INTO medicos VALUES (1, 'Ana Paz', 'N'), (2, 'Bo Gil', 'S')`,
    );
    expect(text).toContain(`  where: ${where}`);
  });

  test.each([
    ["'1'", 'FL_ANUL (9)'],
    ["'X'", 'FL_ANUL (A)'],
    ['NULL', 'FL_ANUL (empty)'],
  ])('asks about a column of annulled records whose codes it does not know: %s', async (value, described) => {
    const { text } = await propose(
      `CREATE TABLE medicos (matricula INTEGER PRIMARY KEY, nombre TEXT, FL_ANUL TEXT); INSERT INTO medicos VALUES (1, 'Ana Paz', ${value}), (2, 'Bo Gil', ${value})`,
    );
    expect(text).toMatch(/where: .*FL_ANUL|\? which rows are valid\? FL_ANUL/);
    if (!text.includes('  where: ')) expect(text).toContain(`? which rows are valid? ${described}`);
  });

  test('asks whether an annulled appointment is deleted or canceled', async () => {
    const { text } = await propose(
      "CREATE TABLE pacientes (id INTEGER PRIMARY KEY, nombre TEXT); CREATE TABLE citas (id INTEGER PRIMARY KEY, id_paciente INTEGER REFERENCES pacientes (id), fecha_hora TEXT, estado TEXT, anulado TEXT); INSERT INTO pacientes VALUES (1, 'Ana'); INSERT INTO citas VALUES (1, 1, '2026-01-05 09:00', 'reservado', 'N')",
    );
    expect(text).toContain('? which rows are valid? anulado (A)');
  });

  test('lists the columns that no field of a complete thing reads', async () => {
    const { text, complete } = await propose(
      "CREATE TABLE medicos (matricula INTEGER PRIMARY KEY, nombre TEXT, calendar INTEGER); INSERT INTO medicos VALUES (1, 'Ana Paz', 1), (2, 'Bo Gil', 0)",
    );
    expect(complete).toEqual(['practitioners']);
    expect(text).toMatch(/^# {2}not read:\n# {4}calendar \(9\)$/m);
  });

  test.each([
    ['type', 'TEXT', 'primary', 'AAA…'],
    ['date_end', 'DATE', '2020-12-31', '9999-99-99'],
  ])('asks which coverages are valid if no field reads their %s', async (column, type, value, masked) => {
    const { text, complete } = await propose(
      `CREATE TABLE patients (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE coverages (id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients (id), plan_name TEXT, policy_number TEXT, ${column} ${type});
      INSERT INTO patients VALUES (1, 'Ana'); INSERT INTO coverages VALUES (1, 1, 'Gold', '77', '${value}')`,
    );
    expect(complete).not.toContain('coverages');
    expect(text).toContain(`#    active: # ? needed: which coverages are valid: ${column} (${masked})`);
  });

  test('does not take the name of another person for that of the patient', async () => {
    const { guesses } = await propose(
      'CREATE TABLE pacientes (id INTEGER PRIMARY KEY, nombre_madre TEXT, apellido_contacto TEXT, telefono_contacto TEXT)',
    );
    const [patients] = guesses;
    expect(patients && 'fields' in patients && patients.fields.map(({ path }) => path.join('.'))).toEqual(['id']);
  });

  test.each([
    ['nothing.db', /--from: nothing\.db is neither a file nor an address such as postgres:\/\//],
    ['oracle://u:secreta@h/x', /--from: oracle:\/\/ is not known: use one of postgres, postgresql, mysql/],
    ['env:NOT_SET_HERE', /--from: env:NOT_SET_HERE is not set or empty/],
    ['postgres://u:secreta@127.0.0.1:1/x', /--from: the database refuses, or cannot be reached \(ECONNREFUSED/],
    ['mysql://u:secreta@127.0.0.1:1/x', /--from: the database refuses, or cannot be reached \(ECONNREFUSED/],
  ])('says of %s what is wrong, without a password, and writes nothing', async (from, problem) => {
    const path = join(mkdtempSync(join(folder, 'none-')), 'his.yaml');
    const error = await proposeMapping(path, from).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ConfigProblems', message: expect.stringMatching(problem) });
    expect(String(error)).not.toContain('secreta');
    expect(() => readFileSync(path)).toThrow('ENOENT');
  });

  test('says of a database without tables that this user sees none', async () => {
    await expect(propose('PRAGMA user_version = 1')).rejects.toThrow('this user sees no tables');
  });
});
