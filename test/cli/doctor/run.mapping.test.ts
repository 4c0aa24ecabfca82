import { describe, expect, test } from '@jest/globals';
import { run } from '../../../src/cli/doctor/run.ts';
import type { Finding } from '../../../src/ports/index.ts';
import { ConfigFolder } from '../../support/config-file.ts';
import { makeDatabase, writeMapping } from '../../support/mapped-clinic.ts';
import { openHospital } from '../../support/mapped-hospital.ts';
import { readPrinted } from '../../support/printed.ts';

const folder = new ConfigFolder();

interface Named {
  readonly rehearse?: string;
  readonly patient?: string[];
}

/** The command over a mapping file. */
async function diagnose(file: string, options: Named = {}) {
  const { code, checks } = await diagnoseAll(file, options);
  return { code, checks: checks.filter(({ section }) => section === 'mapping') };
}

async function diagnoseAll(file: string, options: Named = {}) {
  const adapter = { name: 'mapping', settings: { file } };
  const config = folder.write('puente.yaml', JSON.stringify({ adapter }));
  const { code, printed } = await readPrinted((output) =>
    run({ config, json: true, environment: {}, ...options }, output),
  );
  const { checks }: { checks: (Finding & { section: string })[] } = JSON.parse(printed);
  return { code, checks };
}

const listWrong = (checks: readonly Finding[]) => checks.filter(({ ok }) => ok === false);

describe('puente doctor over a mapping file', () => {
  test('asks the system each question, and makes and undoes changes for an invented patient alone', async () => {
    const database = makeDatabase();
    const { code, checks } = await diagnose(writeMapping(database), { rehearse: '1001' });
    expect(listWrong(checks)).toEqual([]);
    expect(code).toBe(0);
    const details = checks.map(({ detail }) => detail);
    expect(details).toContainEqual(expect.stringMatching(/^locations\.all: 2 records in \d+ ms$/));
    expect(details).toContain('appointments.book was made twice and rolled back: the second one returns slot_taken');
    const reading = await diagnose(writeMapping(database), { patient: ['1001'] });
    expect(reading.checks.map(({ detail }) => detail)).toContain(
      'changes are not tested: name an invented patient by --rehearse',
    );
  });

  test('advises to correct lists only if one has a fault, and denies no write that it undid', async () => {
    const findUntried = async (file: string) =>
      (await diagnoseAll(file, { rehearse: '1001' })).checks.filter(({ check }) => check === 'not tried');
    const [reads, writes] = await findUntried(writeMapping(makeDatabase()));
    expect(reads?.fix).toBe('name patients by --patient ID');
    expect(writes?.detail).toMatch(/^\d+ operations that write, because doctor commits no write$/);
    const [faulty] = await findUntried(
      writeMapping(makeDatabase(), (text) => text.replace('FROM sedes', 'FROM sedez')),
    );
    expect(faulty?.fix).toBe('correct the lists marked ✖ above, and name patients by --patient ID');
  });

  test('names the place in the file where it does not fit the system, and exits with 1', async () => {
    const file = writeMapping(makeDatabase(), (text) => text.replace('phone: telefono', 'phone: telefon'));
    const { code, checks } = await diagnose(file);
    expect(listWrong(checks)).toContainEqual(
      expect.objectContaining({
        check: 'mapping file',
        detail: expect.stringMatching(/\.yaml:\d+:5 patients\.fields\.phone: there is no column telefon: /),
      }),
    );
    expect(code).toBe(1);
  });

  test('says that a system cannot be reached, and asks it nothing else', async () => {
    process.env.SIGHO_USER = 'puente';
    process.env.SIGHO_PASSWORD = 'secreta';
    const { sigho, file } = await openHospital();
    await sigho.close();
    const { code, checks } = await diagnose(file);
    expect(checks.map(({ check, ok }) => [check, ok])).toEqual([
      ['backend_unreachable', false],
      ['connection', false],
      ['operations', null],
    ]);
    expect(code).toBe(1);
  });
});
