import { describe, expect, test } from '@jest/globals';
import { examineLive } from '../../../src/cli/mapping/try.ts';
import { locateFile } from '../../support/mapping-tools.ts';
import { type ClinicDatabase, clinicServers } from '../../support/server-clinics.ts';

const tables = ['pacientes', 'documentos', 'afiliaciones', 'turnos', 'grupo_familiar'];

// Servers end after the last test, which only the file itself may ask for, before the tests begin.
const made: { kind: string; missing: string | undefined; clinic?: ClinicDatabase }[] = [];
for (const { kind, missing, make } of clinicServers) {
  made.push({ kind, missing, ...(missing === undefined && { clinic: await make() }) });
}

describe.each(made)('puente check --live over $kind', ({ kind, missing, clinic }) => {
  if (!clinic) return void test.skip(`skipped: ${missing}`, () => undefined);

  test('makes each change that one alone may make twice, undoes it, and finds nothing wrong', async () => {
    const read = () => Promise.all(tables.map((table) => clinic.run(`SELECT * FROM ${table} ORDER BY 1, 2`)));
    const before = await read();
    const notes: string[] = [];
    const examine = () => examineLive(locateFile(clinic.file), (line) => notes.push(line), '1002');
    expect(await examine()).toEqual([]);
    expect(notes.filter((line) => line.includes('twice')).toSorted()).toEqual([
      'appointments.book was made twice and undone: the second one means slot_taken',
      'coverages.create was made twice and undone: the second one means exists',
      'patients.create was made twice and undone: the second one means exists',
      'relatives.add was made twice and undone: the second one means exists',
    ]);
    expect(await read()).toEqual(before);
    if (kind !== 'mysql' && kind !== 'mariadb') return;
    await clinic.run('CREATE TABLE lasting (id INTEGER) ENGINE=MyISAM');
    notes.length = 0;
    expect(await examine()).toEqual([]);
    expect(notes.filter((line) => line.includes('is not tried'))).toHaveLength(4);
  });
});
