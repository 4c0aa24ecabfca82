import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runTests } from '../../../src/cli/mapping/test-file.ts';
import { collect } from '../../support/mapping-tools.ts';
import { makeFolder } from '../../support/sqlite-state.ts';

const folder = makeFolder();
const clinic = 'examples/mapping-sql/clinica.yaml';

/** What is printed of a test of the clinic. */
async function runOne(text: string, mapping = readFileSync(clinic, 'utf8')) {
  writeFileSync(join(folder, 'his.yaml'), mapping);
  writeFileSync(join(folder, 'his.test.yaml'), text);
  return collect((print) => runTests([join(folder, 'his.yaml')], undefined, print));
}

describe('puente mapping test', () => {
  test.each([
    ['examples/mapping-sql/clinica.test.yaml', 6],
    ['examples/mapping-http/hospital.test.yaml', 6],
    ['examples/hospitals/openmrs/openmrs.test.yaml', 4],
  ])('runs %s without the system', async (file, count) => {
    const { result, printed } = await collect((print) => runTests([file], undefined, print));
    expect(printed.match(/^ok {4}/gm)).toHaveLength(count);
    expect(result).toBe(0);
  });

  test('runs a file of tests of any name over the mapping file that is named', async () => {
    const tests = join(folder, 'some.yaml');
    writeFileSync(tests, readFileSync('examples/mapping-sql/clinica.test.yaml'));
    const { result } = await collect((print) => runTests([tests], clinic, print));
    expect(result).toBe(0);
  });

  test.each(['lonely.test.yaml', 'lonely.yaml'])(
    'says which file belongs to %s where that is missing',
    async (name) => {
      const [path, other] = [name, name === 'lonely.yaml' ? 'lonely.test.yaml' : 'lonely.yaml'].map((each) =>
        join(folder, each),
      );
      rmSync(other!, { force: true });
      writeFileSync(path!, '[]');
      await expect(runTests([path!], undefined, () => undefined)).rejects.toThrow(
        `${other} is not there: the tests of NAME.yaml stand beside it in NAME.test.yaml`,
      );
    },
  );

  test('fails when the mapping file reads an answer otherwise, and shows both in full', async () => {
    const tests = readFileSync('examples/mapping-sql/clinica.test.yaml', 'utf8');
    const mapping = readFileSync(clinic, 'utf8').replace('name: nombre\n    lastName', 'name: apellido\n    lastName');
    const { result, printed } = await runOne(tests, mapping);
    expect(result).toBe(1);
    expect(printed).toMatch(/^FAIL {2}a patient, whose DNI is stored with zeros in front \(.*his\.test\.yaml:2\)$/m);
    expect(printed).toMatch(/gives:\s+expected:[\s\S]*name: Nora[\s\S]*found:[\s\S]*name: Peralta/);
  });

  test.each([
    ['sent: nothing of it', 'sent'],
    ['leavesOut: [name]', 'leavesOut'],
    ['fails: unavailable', 'fails'],
    ["gives: [{ id: '1' }]", 'gives'],
  ])('fails when it expects %s', async (expectation, of) => {
    const { result, printed } = await runOne(`- { name: a, ask: locations.all, rows: [], ${expectation} }`);
    expect(result).toBe(1);
    expect(printed).toContain(`      ${of}:\n        expected:`);
  });

  test('fails when a record is left out and the test does not say so', async () => {
    const { result, printed } = await runOne('- { name: a, ask: locations.all, rows: [{ cod_sede: x }], gives: [] }');
    expect(result).toBe(1);
    expect(printed).toMatch(/leavesOut:\s+expected: \[\]\s+found:\s+- id/);
  });

  test.each([
    ['- { name: a, ask: locations.all }', 'expects nothing; add sent, gives, leavesOut or fails'],
    ['- { name: a, fails: x }', 'has to have ask, or change'],
    ['name: a', 'must contain a list'],
    ['- { name: a, ask: locations.al, fails: x }', 'the mapping file has no locations.al; did you mean locations.all?'],
  ])('refuses %s', async (text, message) => {
    await expect(runOne(text)).rejects.toThrow(message);
  });
});
