/**
 * `npm run test:overload` attacks a gateway in each of the ways of `rows`, three times for eight seconds, prints what others
 * noticed, and fails when it is not what docs/explanation/reliability.md promises. `npm run test:overload -- large-tickets` runs some;
 * `-- --mixed 180` runs attackers of many of them at once for 180 seconds, and fails when memory still grows in the last third.
 */
import { parseArgs } from 'node:util';
import { formatTable } from '../../../src/toolkit/plain-text.ts';
import { listRows, loadRow } from './load-row.ts';
import { listProblems, type Measured, measure, summarize } from './measure.ts';
import { measureMixed } from './mixed.ts';

const RUNS = 3;
const SECONDS = 8;

const head = ['milliseconds, the longest', '/livez', 'ops.port', 'others', '(before, after)', 'memory', ''];

async function runRow(name: string) {
  const row = await loadRow(name);
  const runs: Measured[] = [];
  while (runs.length < RUNS) runs.push(await measure(name, row, SECONDS));
  const { livez, ops, others, othersBefore, othersAfter, memory } = summarize(runs);
  const problems = listProblems(runs, { probes: 500, livez: row.livez, memory: row.memory });
  process.stdout.write(`${name}: ${row.title}\n  ${runs.flatMap(({ outcomes }) => outcomes).join('\n  ')}\n`);
  for (const problem of problems) process.stdout.write(`  does not hold: ${problem}\n`);
  const [shown, round, recovered, before, after] = [livez, ops, others, othersBefore, othersAfter].map(Math.round);
  const figures = [shown, round, recovered, `(${before}, ${after})`, `${Math.round(memory / 1e6)} MB`].map(String);
  return [name, ...figures, problems.length === 0 ? 'holds' : 'DOES NOT HOLD'];
}

async function runRows(wanted: readonly string[]) {
  const unknown = wanted.filter((name) => !listRows().includes(name));
  if (unknown.length > 0) throw new Error(`no row is called ${unknown.join(' or ')}`);
  const rows: string[][] = [];
  for (const name of wanted.length > 0 ? wanted : listRows()) rows.push(await runRow(name));
  process.stdout.write(`\n${formatTable(head, rows)}`);
  return rows.every((row) => row.at(-1) === 'holds');
}

async function runMixed(seconds: number) {
  const problems = await measureMixed(seconds);
  for (const problem of problems) process.stdout.write(`does not hold: ${problem}\n`);
  return problems.length === 0;
}

const { values, positionals } = parseArgs({ options: { mixed: { type: 'string' } }, allowPositionals: true });
const holds = await (values.mixed === undefined ? runRows(positionals) : runMixed(Number(values.mixed)));
if (!holds) process.exitCode = 1;
