/**
 * `npm run mutate` changes the code in small ways, one at a time and in a copy, and says which changes no test notices.
 *   src adapters/x    folders or files to draw from (src and adapters)
 *   --changed REF     only from the files that differ from this commit
 *   --seed N          draws other mutants (1)
 *   --count N         how many (100)
 *   --threshold N     the percentage that must be killed, of those that are not equivalent (95)
 *   --most-seconds N  gives a mutant up after tests that usually take this long (300)
 *   --folder PATH     where the copy and what is known stands (below the system's temporary folder)
 * A run that was interrupted goes on where it was. With --count 0 it only measures which lines each test runs.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { copyCheckout } from './checkout.ts';
import { measureCoverage } from './coverage.ts';
import { digest } from './digest.ts';
import { draw, listMutants } from './draw.ts';
import { findReason, readEquivalents } from './equivalents.ts';
import { describeMutant, type Mutant } from './mutant.ts';
import { Results } from './results.ts';
import { describeOutcome, formatSummary, summarize, type Tested } from './summary.ts';
import { type Outcome, testMutant } from './test-mutant.ts';

const root = resolve(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'string' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    threshold: { type: 'string', default: '95' },
    'most-seconds': { type: 'string', default: '300' },
    folder: { type: 'string', default: join(tmpdir(), `puente-mutate-${digest(root)}`) },
  },
});
const seed = Number(values.seed);
const count = Number(values.count);

const folder = resolve(values.folder);
const work = join(folder, `seed-${seed}`);
const copy = join(work, 'copy');
const place = { copy, scratch: join(work, 'tmp'), cache: join(folder, 'jest'), folder: join(folder, 'coverage') };
mkdirSync(work, { recursive: true });
copyCheckout(root, copy);

const read = (file: string): string => readFileSync(join(copy, file), 'utf8');
const mutants = draw(listMutants(copy, findFiles()), count, seed);
const testsDigest = digest(
  globSync('test/**/*.ts', { cwd: copy })
    .filter((file) => !file.startsWith('test/mutate/'))
    .toSorted()
    .map(read)
    .join(''),
);
const results = new Results(join(work, 'results.jsonl'), testsDigest);
const equivalents = readEquivalents();

print(`${mutants.length} mutants, seed ${seed}, in ${work}`);
checkTypes();
const coverage = await measureCoverage(place, print);
for (const { file } of coverage.filter(({ passed }) => !passed))
  print(`${file} fails without any mutant, and is left out`);
const tested = [];
for (const [index, mutant] of mutants.entries()) {
  const outcome = await findOutcome(mutant);
  tested.push(toTested(mutant, outcome));
  print(`${index + 1}/${mutants.length} ${describeMutant(mutant)}\n    ${describeOutcome(outcome)}`);
}
const summary = summarize(tested);
print(`\n${formatSummary(summary)}`);
process.exitCode = summary.killedPercent < Number(values.threshold) ? 1 : 0;

function findFiles(): string[] {
  const named = positionals.length > 0 ? positionals.map((name) => name.replace(/\/+$/, '')) : ['src', 'adapters'];
  const isNamed = (file: string): boolean => named.some((name) => file === name || file.startsWith(`${name}/`));
  const all =
    values.changed === undefined ? globSync('{src,adapters}/**/*.ts', { cwd: copy }) : findChanged(values.changed);
  return all.filter(isNamed).toSorted();
}

function findChanged(ref: string): string[] {
  const { stdout, stderr, status } = spawnSync('git', ['diff', '--name-only', '--diff-filter=d', ref, '--', '*.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr.trim());
  return stdout.split('\n').filter(Boolean);
}

/** Writes down which of those that are not yet tested the compiler refuses. */
function checkTypes(): void {
  const open = mutants.filter((mutant) => !results.find(mutant, read(mutant.file)));
  if (open.length === 0) return;
  print(`which of ${open.length} does the compiler refuse?`);
  const program = join(import.meta.dirname, 'check-types.ts');
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, root], {
    input: JSON.stringify(open),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const refused = new Set(stdout.split('\n').filter(Boolean).map(Number));
  for (const [index, mutant] of open.entries())
    if (refused.has(index)) results.add(mutant, read(mutant.file), { state: 'killed', by: 'types' });
}

async function findOutcome(mutant: Mutant): Promise<Outcome> {
  const text = read(mutant.file);
  const known = results.find(mutant, text);
  if (known) return known;
  const outcome = await testMutant(mutant, { ...place, coverage, mostSeconds: Number(values['most-seconds']) });
  results.add(mutant, text, outcome);
  return outcome;
}

function toTested(mutant: Mutant, outcome: Outcome): Tested {
  const reason = findReason(equivalents, mutant);
  return { mutant, outcome, ...(reason !== undefined && { reason }) };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
