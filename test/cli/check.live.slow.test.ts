import { describe, expect, test } from '@jest/globals';
import { ConfigFolder } from '../support/config-file.ts';
import { makeDatabase, writeMapping } from '../support/mapped-clinic.ts';
import { openHospital } from '../support/mapped-hospital.ts';
import { runPuente } from '../support/process.ts';

const folder = new ConfigFolder();

/** The command over a mapping file. */
const check = (file: string) =>
  runPuente(
    [
      'check',
      '--live',
      '--config',
      folder.write('puente.yaml', JSON.stringify({ adapter: { name: 'mapping', settings: { file } } })),
    ],
    { SIGHO_USER: 'puente', SIGHO_PASSWORD: 'secreta' },
    { compares: false },
  );

describe('puente check --live', () => {
  test('asks the system of a mapping file, and exits with 78 where they do not fit', async () => {
    const right = await check(writeMapping(makeDatabase()));
    expect(right).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^live {2}locations\.all: 2 records in \d+ ms$/m),
    });
    const wrong = await check(
      writeMapping(makeDatabase(), (text) => text.replace('phone: telefono', 'phone: telefon')),
    );
    expect(wrong.stderr).toMatch(/^.*\.yaml:\d+:5 patients\.fields\.phone: there is no column telefon;/m);
    expect(wrong.code).toBe(78);
  });

  test('says that a system cannot be reached', async () => {
    const { sigho, file } = await openHospital();
    await sigho.close();
    const { code, stderr } = await check(file);
    expect(stderr).toMatch(/^mapping: the system of the mapping file does not answer/m);
    expect(code).toBe(78);
  });
});
