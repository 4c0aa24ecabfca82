import { existsSync } from 'node:fs';
import { ConfigProblems } from '../../toolkit/problems.ts';
import { formatYaml } from '../../toolkit/yaml-file.ts';
import { defaultInstitution, load } from './open.ts';
import { type Difference, listDifferences, play, TestFile } from './test-file.ts';

type Print = (text: string) => void;

/**
 * Runs the tests of files such as `his.test.yaml` over the mapping file beside each, `his.yaml`; the file itself stands for
 * its tests, too.
 * @param file another mapping file, for all of them.
 * @returns how many failed.
 */
export async function runTests(paths: readonly string[], file: string | undefined, print: Print): Promise<number> {
  let failed = 0;
  for (const path of paths) {
    const beside = path.replace(/(\.test)?(?=\.ya?ml$)/, '');
    const isMapping = file === undefined && path === beside;
    const tests = isMapping ? path.replace(/(?=\.ya?ml$)/, '.test') : path;
    if (isMapping && !existsSync(tests)) throw new ConfigProblems([explainPlace(tests, path)]);
    const source = new TestFile(tests);
    if (file === undefined && !existsSync(beside)) throw new ConfigProblems([explainPlace(path, beside)]);
    const mapping = load(file ?? beside);
    for (const [index, test] of source.tests.entries()) {
      const differences = listDifferences(test, await play(test, mapping, defaultInstitution));
      if (differences.length > 0) failed++;
      const place = source.findPlace(index);
      print(differences.length === 0 ? `ok    ${test.name}\n` : `FAIL  ${test.name} (${place})\n`);
      for (const difference of differences) print(formatDifference(difference));
    }
  }
  print(failed === 0 ? 'all passed\n' : `${failed} failed\n`);
  return failed;
}

/** Which of two files that belong together is missing. */
const explainPlace = (tests: string, mapping: string): string =>
  `${existsSync(tests) ? mapping : tests} is not there: the tests of NAME.yaml stand beside it in NAME.test.yaml; name other files by mapping test TESTS.yaml --file MAPPING.yaml`;

const indent = (text: string): string => text.trimEnd().replaceAll(/^/gm, '      ');

const formatDifference = ({ of, expected, found }: Difference): string =>
  `${indent(formatYaml({ [of]: { expected: expected ?? 'nothing', found: found ?? 'nothing' } }))}\n`;
