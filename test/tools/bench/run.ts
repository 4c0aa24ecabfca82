/**
 * `npm run bench` measures what the gateway costs beside others, and writes `docs/explanation/performance.md` and its plot.
 *   --quick          seven minutes instead of seventeen
 *   --profile        profiles the common operations, one by one, and prints where their time goes, by file; nothing is measured
 *   --only NAMES     some of memory, growth, fhir, adapters, state, start, clinic, separated by commas; nothing is written
 *   --note TEXT      something that a reader of the page has to know about this run
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { missing, runPostgres } from '../../support/postgres-process.ts';
import { drawBarChart } from './bar-chart.ts';
import { compareClinics } from './clinic.ts';
import { compareAdapters } from './comparisons/adapters.ts';
import { compareOverFhir } from './comparisons/fhir.ts';
import { compareGrowth } from './comparisons/growth.ts';
import { compareOnMemory } from './comparisons/memory.ts';
import { compareOnSharedState } from './comparisons/shared-state.ts';
import { GatewayConfigs } from './gateway-config.ts';
import { assessGoals } from './goals.ts';
import { describeMachine } from './machine.ts';
import { profileOperations } from './profile.ts';
import { formatGoals, formatPage, formatResults, type Report, toBarGroups } from './report.ts';
import { joinPasses, type Plan, runPass } from './rounds.ts';
import { measureStartUp, type StartUp } from './start-up.ts';
import { type Comparison, listServers, type Result } from './variant.ts';

const parts = ['memory', 'growth', 'fhir', 'adapters', 'state', 'start', 'clinic'];
// Many short rounds: a machine that others use too is fast for some seconds and slow for the next.
const quickPlan: Plan = { passes: 1, warmUpRounds: 8, rounds: 12, seconds: 0.2 };
const fullPlan: Plan = { passes: 5, warmUpRounds: 7, rounds: 8, seconds: 0.25 };

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    only: { type: 'string' },
    note: { type: 'string' },
  },
});
const wanted = values.only?.split(',') ?? parts;
const unknown = wanted.filter((name) => !parts.includes(name));
if (unknown.length > 0) throw new Error(`--only takes some of ${parts.join(', ')}, not ${unknown.join(', ')}`);
const plan = values.quick ? quickPlan : fullPlan;
const machine = describeMachine();
const begun = performance.now();

const configs = await GatewayConfigs.create();
if (values.profile) {
  for await (const table of profileOperations(configs, values.quick ? 2 : 6)) print(`\n${table}`);
  process.exit();
}
const described = new Map<string, Comparison>();
const results = new Map<string, readonly Result[]>();

async function run(list: readonly Comparison[]): Promise<void> {
  for (const comparison of list) {
    const { id, title } = comparison;
    results.set(id, joinPasses(results.get(id) ?? [], await runPass(comparison, plan)));
    described.set(id, comparison);
    print(`  ${title}`);
  }
  for (const server of new Set(list.flatMap(({ variants }) => variants.flatMap(listServers)))) server.stop();
}

const postgres = wanted.includes('state') && missing === undefined ? await runPostgres() : undefined;
if (postgres) process.once('exit', postgres.stop);
else if (wanted.includes('state')) print(`\nG8 is left out: ${missing}`);
for (let pass = 1; pass <= plan.passes; pass++) {
  print(`Pass ${pass} of ${plan.passes}`);
  if (wanted.includes('memory')) await run(await compareOnMemory(configs));
  if (wanted.includes('fhir')) await run(await compareOverFhir(configs));
  if (wanted.includes('adapters')) await run(await compareAdapters(configs));
  if (wanted.includes('growth')) await run(await compareGrowth(configs.tokens.opaque));
  if (postgres) await run(await compareOnSharedState(configs, postgres));
}
const clinic = wanted.includes('clinic') ? await compareClinics(configs, values.quick ? 5 : 15) : undefined;
if (clinic) print(`\nThe same clinic by code and by a mapping file\n${clinic.join('\n')}`);
for (const { id, title } of described.values()) print(`\n${title}\n${formatResults(results.get(id) ?? [])}`);
const startUp: StartUp | undefined = wanted.includes('start')
  ? await measureStartUp(configs, values.quick ? 3 : 9)
  : undefined;

const minutes = (performance.now() - begun) / 60_000;
const report: Report = {
  comparisons: [...described.values()],
  results,
  startUp,
  clinic,
  machine,
  conditions: [
    ...(values.note === undefined ? [] : [`**${values.note}**`]),
    `${new Date().toISOString().slice(0, 10)}, ${values.quick ? 'quick' : 'full'} run of ${minutes.toFixed(1)} minutes: ${plan.passes} passes of ${plan.rounds} rounds of ${plan.seconds} s after ${plan.warmUpRounds} to warm up`,
  ],
};
print(`\n${formatGoals(assessGoals(report))}\n\n${minutes.toFixed(1)} minutes`);
if (values.only === undefined) {
  const docs = join(import.meta.dirname, '../../../docs/explanation');
  writeFileSync(join(docs, 'performance.md'), formatPage(report));
  writeFileSync(join(docs, 'performance.svg'), drawBarChart('CPU per request', toBarGroups(report)));
}
// What was started ends with this process.
process.exit();

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
