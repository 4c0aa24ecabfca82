import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { examineFile } from '../../../support/mapping-tools.ts';
import { type ClinicDatabase, clinicServers } from '../../../support/server-clinics.ts';

const tables = ['pacientes', 'documentos', 'afiliaciones', 'turnos', 'grupo_familiar'];

// Servers end after the last test, which only the file itself may ask for, before the tests begin.
const made: { kind: string; missing: string | undefined; clinic?: ClinicDatabase }[] = [];
for (const { kind, missing, make } of clinicServers) {
  made.push({ kind, missing, ...(missing === undefined && { clinic: await make() }) });
}

describe.each(made)('puente doctor over $kind', ({ kind, missing, clinic }) => {
  if (!clinic) return void test.skip(`skipped: ${missing}`, () => undefined);

  test('makes each change that one alone may make twice, undoes it, and finds nothing wrong', async () => {
    const read = () => Promise.all(tables.map((table) => clinic.run(`SELECT * FROM ${table} ORDER BY 1, 2`)));
    const before = await read();
    const upsert =
      kind === 'sqlite' || kind === 'postgres' ? 'ON CONFLICT (id_paciente) DO UPDATE SET' : 'ON DUPLICATE KEY UPDATE';
    // As a file may have it that writes a person whether there or not; SQL Server takes no number for one that it counts itself.
    if (kind !== 'sqlserver')
      writeFileSync(
        clinic.file,
        readFileSync(clinic.file, 'utf8').replace(
          /(?<=\n {2}update:[^\n]*\n {4}steps:\n)[\s\S]*?(?=\n {2}fields:)/,
          () => `      - sql: |
          INSERT INTO pacientes (id_paciente, apellido, nombre, sexo, fec_nac) VALUES (:id, 'x', 'x', 'F', '01/01/1990')
          ${upsert} telefono = coalesce(:phone, '')`,
        ),
      );
    const readNext = async () => {
      const columns = "(apellido, nombre, sexo, fec_nac) VALUES ('Next', 'Next', 'F', '01/01/1990')";
      await clinic.run(`INSERT INTO pacientes ${columns}`);
      const [row] = await clinic.run('SELECT max(id_paciente) AS id FROM pacientes');
      await clinic.run("DELETE FROM pacientes WHERE apellido = 'Next'");
      return Number(row?.id);
    };
    const examine = async () => {
      const findings = await examineFile(clinic.file, '1002');
      expect(findings.filter(({ ok }) => ok === false)).toEqual([]);
      return findings.map(({ detail }) => detail);
    };
    expect((await examine()).filter((line) => line.includes('twice')).toSorted()).toEqual([
      'appointments.book was made twice and rolled back: the second one returns slot_taken',
      'coverages.create was made twice and rolled back: the second one returns exists',
      'patients.create was made twice and rolled back: the second one returns exists',
      'relatives.add was made twice and rolled back: the second one returns exists',
    ]);
    expect(await read()).toEqual(before);
    expect(await readNext()).toBeLessThan(10_000);
    if (kind !== 'mysql' && kind !== 'mariadb') return;
    await clinic.run('CREATE TABLE lasting (id INTEGER) ENGINE=MyISAM');
    expect((await examine()).filter((line) => line.includes('cannot be rolled back'))).toHaveLength(6);
    await clinic.run('DROP TABLE lasting');
  });

  test('refuses a booking that looks at its own agenda alone, where a practitioner has two at one time', async () => {
    await clinic.run("INSERT INTO agendas VALUES (8, 52110, 503, 1, 'N', 'N')");
    await clinic.run(
      "INSERT INTO turnos (cod_agenda, inicio, minutos) SELECT 8, inicio, minutos FROM turnos WHERE cod_agenda = 1 AND estado = 'L'",
    );
    const findings = await examineFile(clinic.file, '1002');
    expect(findings.flatMap(({ ok, detail }) => (ok === false ? [detail] : []))).toEqual([
      expect.stringMatching(/appointments.book: books two overlapping free times of one practitioner/),
    ]);
  });
});
