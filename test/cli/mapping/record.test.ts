import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { record } from '../../../src/cli/mapping/record.ts';
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
