import { describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/toolkit/package.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { makeDatabase, writeMapping } from '../support/mapped-clinic.ts';
import { openHospital } from '../support/mapped-hospital.ts';
import { runPuente } from '../support/process.ts';

const folder = new ConfigFolder();

/** The command over a mapping file. */
const check = (file: string) => checkAdapter({ name: 'mapping', settings: { file } });
const checkAdapter = (adapter: object) =>
  runPuente(
    ['check', '--live', '--config', folder.write('puente.yaml', JSON.stringify({ adapter }))],
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

  test('says of an adapter that cannot report on itself which, and no word of its error', async () => {
    const module = folder.write(
      'failing.mjs',
      `import { z } from '${packageRoot}/node_modules/zod/index.js';
      const report = async () => { throw new TypeError('Ana Ferreyra'); };
      export default { api: 2, settings: z.object({}), offer: () => ({ readiness: { report } }) };`,
    );
    const { code, stderr } = await checkAdapter({ module });
    expect(stderr).toMatch(/^failing: the adapter cannot report on itself \(TypeError\)$/m);
    expect(stderr).not.toContain('Ana');
    expect(code).toBe(78);
  });
});
