/**
 * `npm run test:faults` runs the tests of every row of the fault matrix and says of each row what came of it;
 * `npm run test:faults -- results.json` says it of a run that is over, made with `--json --outputFile=results.json`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Row, rows } from './rows.ts';

interface Result {
  readonly file: string;
  readonly title: string;
  readonly fullName: string;
  readonly status: string;
  readonly seconds: number;
}

interface JestResults {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly fullName: string;
      readonly status: string;
      readonly duration?: number | null;
    }[];
  }[];
}

/** What a title looks like when the test has run: a row of a table stands for each of its `%s`. */
const toPattern = (title: string): string =>
  title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/%[a-z]/g, '.*');

const read = (file: string): Result[] => {
  const { testResults }: JestResults = JSON.parse(readFileSync(file, 'utf8'));
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, fullName, status, duration }) => ({
      file: relative(process.cwd(), name),
      title,
      fullName,
      status,
      seconds: (duration ?? 0) / 1000,
    })),
  );
};

function run(): Result[] {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  const outcome = join(folder, 'results.json');
  const files = new Set(Object.values(rows).flatMap(({ tests }) => Object.keys(tests)));
  const titles = Object.values(rows).flatMap(({ tests }) => Object.values(tests).flat());
  const pattern = ['\\bF\\d\\d ', ...new Set(titles.map(toPattern))].join('|');
  const jest = [
    '--experimental-vm-modules',
    '--no-compilation-cache',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
  ];
  const options = ['--json', `--outputFile=${outcome}`, '--silent', '-t', pattern];
  spawnSync(process.execPath, [...jest, ...files, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  const results = read(outcome);
  rmSync(folder, { recursive: true });
  return results;
}

/** The tests of the row that ran: those that it names, and in the same files those that begin with its number. */
function find(number: string, { tests }: Row, results: readonly Result[]): Result[] {
  return results.filter(({ file, title, status }) => {
    const titles = tests[file];
    if (!titles || status === 'todo') return false;
    return title.startsWith(`${number} `) || titles.some((each) => new RegExp(`^${toPattern(each)}$`).test(title));
  });
}

const [file] = process.argv.slice(2);
const results = file === undefined ? run() : read(file);
let failed = 0;
for (const [number, row] of Object.entries(rows)) {
  const own = find(number, row, results);
  const broken = own.filter(({ status }) => status === 'failed');
  const passed = own.filter(({ status }) => status === 'passed');
  const longest = Math.max(0, ...passed.map(({ seconds }) => seconds)).toFixed(1);
  const expected = Object.keys(row.tests).length > 0;
  // A test is only skipped where the machine has not what it needs, which its name says.
  const skipped = passed.length === 0 && own.length > 0 ? own[0]?.fullName : undefined;
  if (broken.length > 0 || (expected && own.length === 0)) failed++;
  const verdict = broken.length > 0 || (expected && own.length === 0) ? 'FAILED' : passed.length > 0 ? 'ok' : '-';
  const detail = passed.length > 0 ? `${passed.length} tests, the longest ${longest} s` : (skipped ?? '');
  const leftOut = row.leftOut === undefined ? '' : `; left out: ${row.leftOut}`;
  process.stdout.write(`${number} ${verdict.padEnd(6)} ${row.fault}${detail && `: ${detail}`}${leftOut}\n`);
  for (const { fullName } of broken) process.stdout.write(`           ${fullName}\n`);
}
process.exitCode = failed > 0 ? 1 : 0;
