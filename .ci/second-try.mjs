/**
 * `second-try.mjs may FIRST` says whether the test files that failed in jest's results may be tried again: at most three;
 * `second-try.mjs merge FIRST SECOND` puts the results of the second try into those of the first, and names what passed then;
 * `second-try.mjs count RESULTS` prints how many tests passed, failed and were skipped.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const listFailed = ({ testResults }) => testResults.filter(({ status }) => status === 'failed');
const [command, first, second] = process.argv.slice(2);
const results = read(first);

if (command === 'may') {
  const failed = listFailed(results).length;
  process.exitCode = failed > 0 && failed <= 3 ? 0 : 1;
}

if (command === 'merge') {
  const again = new Map(read(second).testResults.map((file) => [file.name, file]));
  for (const { name, assertionResults } of listFailed(results)) {
    if (!again.has(name) || again.get(name).status === 'failed') continue;
    const tests = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    process.stdout.write(
      `FLAKY ${relative(process.cwd(), name)}: failed beside others and passed alone: ${tests.join('; ')}\n`,
    );
  }
  const testResults = results.testResults.map((file) => again.get(file.name) ?? file);
  writeFileSync(first, JSON.stringify({ ...results, testResults }));
}

if (command === 'count') {
  const statuses = results.testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const count = (...of) => statuses.filter((status) => of.includes(status)).length;
  process.stdout.write(`${count('passed')} ${count('failed')} ${count('pending', 'skipped', 'todo')}\n`);
}
