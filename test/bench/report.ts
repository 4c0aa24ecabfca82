import type { AttackResult } from './attacks.ts';
import type { BarGroup } from './bar-chart.ts';
import { assessGoals, type Goal, type Measurements } from './goals.ts';
import { formatNumber, formatSummary, summarize, summarizeRatio } from './statistics.ts';
import type { Comparison, Result } from './variant.ts';

type Described = Pick<Comparison, 'id' | 'title' | 'load'>;

export interface Report extends Measurements {
  readonly comparisons: readonly Described[];
  readonly machine: readonly string[];
  /** How it was measured: the mode, the rounds, the day, and what a reader has to know about this run. */
  readonly conditions: readonly string[];
}

/** The page, as Markdown. */
export function formatPage(report: Report): string {
  const { comparisons, machine, conditions, attacks } = report;
  const parts = [
    '# Performance',
    wrap(
      'What the gateway costs, beside servers that do nothing but answer and a proxy that translates nothing. `npm run bench` writes this page and its plot; `npm run bench -- --quick` takes three minutes instead of fifteen.',
    ),
    [...conditions, ...machine].map((line) => `- ${line}`).join('\n'),
    '![CPU per request](performance.svg)',
    '## Goals',
    formatGoals(assessGoals(report)),
    '## How it is measured',
    method,
    ...comparisons.flatMap(({ id, title, load }) => {
      const results = report.results.get(id);
      const how = 'rate' in load ? `${load.rate} requests a second` : `${load.connections} connections`;
      return results ? [`## ${title}`, `${how}; ratios to the first line.`, formatResults(results)] : [];
    }),
    ...(attacks ? ['## Under attack', wrap(others), formatAttacks(attacks)] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

const wrap = (text: string): string => text.replaceAll(/(.{1,120})(?: |$)/g, '$1\n').trimEnd();

const others =
  'Milliseconds. Others are 100 reads a second from another process; the stall is the longest that the server saw its own event loop late.';

const method = [
  'Every server runs in a process of its own, on loopback; the load comes from one more, over kept connections. The variants of a table take turns in short rounds, the first of which only warm up. A figure is the median of its rounds with the quartiles, a ratio is taken between rounds that followed each other: what slows the machine for a while slows both. A full run does all of it in several passes, each with servers that are started anew, since a process keeps for life what its compiler made of its first requests.',
  '**CPU** is what the process of the server itself used, in microseconds for each request (`process.cpuUsage`). It is what the goals compare wherever they can: the rate of a fast server is that of whoever sends the load. In the open loop latency counts from when a request was due.',
  'The gateway runs as in production, from its sources: a token of the configuration with its scopes, requests and responses validated, a log line for each request into a pipe that is read, the guard, and a new `Idempotency-Key` for each write. Only the limits of one client and the bulkheads are raised, since one client plays the whole platform. What no configuration asks for (an unchecked response, another order, a million patients) is composed in a process by itself, and compared with one composed alike in the same process.',
  'Two gateways with a core each want more cores than this machine may have, with PostgreSQL and the load beside them. So G8 compares what a write costs one gateway with what it costs each of two that share the keys, at a load that the machine bears.',
  'The FHIR server answers canned resources as fast as Node can. Express, Fastify and http-proxy-middleware are as their own guides have them, in `test/bench/servers`.',
]
  .map(wrap)
  .join('\n\n');

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

/** One line for each attack. */
export const formatAttacks = (attacks: readonly AttackResult[]): string =>
  formatTable(
    ['attack, without end', 'sent', 'p99 of others, quiet', 'during', 'longest stall'],
    attacks.map(({ name, attacks: sent, quietP99, p99, stall }) => [
      name,
      String(sent),
      ...[quietP99, p99, stall].map(formatNumber),
    ]),
  );

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

const formatTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
