import type { BarGroup } from './bar-chart.ts';
import type { Goal, Measurements } from './goals.ts';
import { dayAssumptions, listHospitalDay } from './hospital-day.ts';
import type { StartUp } from './start-up.ts';
import { formatNumber, formatSummary, summarize, summarizeRatio } from './statistics.ts';
import type { Comparison, Result } from './variant.ts';

type Described = Pick<Comparison, 'id' | 'title' | 'load'>;

export interface Report extends Measurements {
  readonly comparisons: readonly Described[];
  /** The table of the clinic by code and by file. */
  readonly clinic?: readonly string[] | undefined;
  readonly machine: readonly string[];
  /** How it was measured: the mode, the rounds, the day, and what a reader has to know about this run. */
  readonly conditions: readonly string[];
}

/** The page, as Markdown: the medians. Goals and quartiles are printed while they are measured. */
export function formatPage(report: Report): string {
  const { machine, conditions, results, clinic, startUp } = report;
  const parts = [
    '# Performance',
    wrap(
      'How much CPU the gateway uses, compared with servers that only respond and with a proxy that translates nothing. `npm run bench` measures the figures, reports which goals are met, and writes this page and its plot. `-- --quick` takes seven minutes instead of seventeen. `-- --profile` prints the files in which the common operations spend their time.',
    ),
    [...conditions, ...machine].map((line) => `- ${line}`).join('\n'),
    '![CPU per request](performance.svg)',
    wrap(
      "CPU is the server process's CPU time per request. Ratios are relative to the first line of the group. Each server runs in its own process on loopback, in turn with the others. The gateway runs as in production: tokens, validation, log, guard, a new `Idempotency-Key` for each write. Only the limits of one client are raised.",
    ),
    formatCosts(report),
    '## A day of a hospital',
    wrap(dayAssumptions),
    formatTable(
      ['', 'per day', 'in the busiest second', 'per core and second, on memory', 'over FHIR'],
      listHospitalDay(results),
    ),
    ...(clinic ? ['## The same clinic by code and by a mapping file', clinic.join('\n')] : []),
    ...(startUp ? ['## Start and memory', wrap(formatStartUp(startUp))] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

const formatStartUp = ({ seconds, early, megabytes, coldCatalogue }: StartUp): string =>
  `\`npm start\` takes ${formatNumber(seconds)} s until the first response. The very first start takes longer, because Node compiles the code. Three seconds later, a gateway on memory uses ${formatNumber(early)} MB, of which 32 MB are V8's space for young objects. After half a minute without a request, V8 has returned that space, and the gateway uses ${formatNumber(megabytes)} MB. Node itself takes about 50 MB. A third of the heap is module source, a quarter is compiled code. The first list of 450 services over FHIR takes ${formatNumber(coldCatalogue)} ms in addition to the server's time.`;

const wrap = (text: string): string => text.replaceAll(/(.{1,120})(?: |$)/g, '$1\n').trimEnd();

/** Comparisons of which a printed goal says all that there is to say. */
const inGoals = ['order', 'fhir-open', 'growth-read', 'growth-search'];

/** The medians of the other comparisons in one table. */
const formatCosts = ({ comparisons, results }: Report): string =>
  formatTable(
    ['', 'CPU, µs', 'ratio', 'requests/s', 'p99, ms'],
    comparisons
      .filter(({ id }) => !inGoals.includes(id))
      .flatMap(({ id, title }) => [
        [`**${title}**`, '', '', '', ''],
        ...(results.get(id) ?? []).map(({ name, rounds }) => {
          const values = (key: 'cpu' | 'rate' | 'p99') => rounds.map((round) => round[key]);
          const ratio = summarizeRatio(values('cpu'), results.get(id)?.[0]?.rounds.map(({ cpu }) => cpu) ?? []);
          const medians = [summarize(values('cpu')), ratio, summarize(values('rate')), summarize(values('p99'))];
          return [name, ...medians.map(({ median }) => formatNumber(median))];
        }),
      ]),
  );

/** Met or missed, by its figure. */
export const formatGoals = (goals: readonly Goal[]): string =>
  formatTable(
    ['', 'goal', 'median [quartiles]', ''],
    goals.map(({ id, text, figure, met }) => [id, text, figure, met === undefined ? '-' : met ? 'met' : '**missed**']),
  );

/** One line for each variant. */
export function formatResults(results: readonly Result[]): string {
  const [first] = results;
  return formatTable(
    ['', 'CPU, µs', 'ratio', 'requests/s', 'ratio', 'p50, ms', 'p99, ms'],
    results.map(({ name, rounds }) => {
      const values = (key: 'cpu' | 'rate' | 'p50' | 'p99') => rounds.map((round) => round[key]);
      const relate = (key: 'cpu' | 'rate') =>
        formatSummary(summarizeRatio(values(key), first?.rounds.map((round) => round[key]) ?? []));
      const rate = formatNumber(summarize(values('rate')).median);
      const latencies = (['p50', 'p99'] as const).map((key) => formatNumber(summarize(values(key)).median));
      return [name, formatSummary(summarize(values('cpu'))), relate('cpu'), rate, relate('rate'), ...latencies];
    }),
  );
}

/** The bars of the plot: CPU per request, one group for each comparison with others. */
export const toBarGroups = ({ comparisons, results }: Report): BarGroup[] =>
  comparisons
    .filter(({ id }) => ['read', 'slots', 'operations', 'fhir-0'].includes(id) && results.has(id))
    .map(({ id, title }) => ({
      title: `${title}: CPU per request, µs`,
      bars: (results.get(id) ?? []).map(({ name, own, rounds }) => ({
        label: name,
        own,
        value: summarize(rounds.map(({ cpu }) => cpu)).median,
      })),
    }));

export const formatTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
