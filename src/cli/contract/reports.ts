import type { Case, CaseResult, Level } from '../../contract/index.ts';
import { type CleanUp, listRemaining } from '../../contract/recorder.ts';
import { type Capability, capabilities } from '../../ports/index.ts';
import { escapeControls, wrap } from '../../toolkit/plain-text.ts';
import type { Paint } from './options.ts';
import type { Target } from './target.ts';

/** A case and its result, without values of patients. */
export interface ReportedCase extends Pick<Case, 'id' | 'section' | 'needs' | 'level'> {
  readonly title: string;
  readonly outcome: CaseResult['outcome'];
  /** The reason for a failure or a skip. A line of the answer begins with +, and an expected line with -. */
  readonly reason?: string;
  /** True if the system was slow or unreachable, so that the result is open. */
  readonly unanswered?: true;
  readonly ms: number;
  readonly requests: readonly ReportedRequest[];
}

/** A request that a case sent. */
export interface ReportedRequest {
  readonly route: string;
  /** Undefined without an answer. */
  readonly status: number | undefined;
  readonly ms: number;
  /** A POSIX shell command that sends the request again. Variables replace the token and the patients of the map. */
  readonly curl: string;
}

/** A complete run of the contract. */
export interface ContractReport {
  readonly version: string;
  /** `fixtures` is their source. */
  readonly target: Pick<Target, 'name' | 'how'> & { readonly fixtures: string };
  readonly level: Level;
  /** The seed of the cases' random choices. */
  readonly seed: number;
  readonly offered: readonly Capability[];
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly ms: number;
  /** The problems of wrong fixtures, by their names. Cases that need such a fixture were skipped. */
  readonly wrongFixtures: Readonly<Record<string, string>>;
  readonly cases: readonly ReportedCase[];
  /** Undefined if the institution ends with the run. */
  readonly cleanUp: CleanUp | undefined;
  /** The reason why some cases did not run. */
  readonly stopped?: string;
}

/** The number of cases with that outcome. */
export const count = (cases: readonly ReportedCase[], outcome: CaseResult['outcome']): number =>
  cases.filter((each) => each.outcome === outcome).length;

/** The cases of each port, in the order of their first case. */
const groupByPort = (cases: readonly ReportedCase[]): ReadonlyMap<string, readonly ReportedCase[]> =>
  Map.groupBy(cases, ({ needs }) => needs.split('.')[0] ?? '');

/** The sections of the API document with promises, and their headings. */
const sections: readonly (readonly [Case['section'], string])[] = [
  ['2', 'Resources and their fields'],
  ['3', 'States and transitions'],
  ['4.A', 'Endpoints, Group A'],
  ['4.B', 'Endpoints, Group B'],
  ['8', 'Limits'],
];

/** Number, heading and cases of each section. A selection may have no cases of a section. */
const groupBySection = (cases: readonly ReportedCase[]): (readonly [string, string, readonly ReportedCase[]])[] =>
  sections.map(([section, heading]) => [section, heading, cases.filter((each) => each.section === section)]);

const WIDTH = 80;
const marks = { pass: '✔', fail: '✖', skip: '-' } as const;
const styles = { pass: 'green', fail: 'red', skip: 'yellow' } as const;
/** The maximum lines of a difference here. The other reports have all lines. */
const MAX_LINES = 30;

/** Formats the report for a terminal of 80 columns. `verbose` also lists every case. */
export function formatTerminal(report: ContractReport, paint: Paint, verbose = false): string {
  const { cases } = report;
  const parts = [
    formatHead(report, paint),
    formatWrongFixtures(report, paint),
    verbose ? cases.map((each) => formatCase(each, paint)).join('\n') : formatPorts(cases, paint),
    formatFailures(cases, paint),
    formatSkips(cases, paint),
    formatSections(cases, paint),
    formatCleanUp(report, paint),
    formatTotals(report, paint),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function formatHead({ target, level, offered, seed }: ContractReport, paint: Paint): string {
  return [
    ...wrap(target.name, WIDTH).map((line) => paint('bold', line)),
    ...wrap(`${target.how} · level ${level} · ${offered.length} of ${capabilities.length} capabilities offered`, WIDTH),
    ...wrap(`fixtures: ${target.fixtures} · seed ${seed}`, WIDTH),
  ].join('\n');
}

function formatWrongFixtures({ wrongFixtures }: ContractReport, paint: Paint): string {
  const rows = Object.entries(wrongFixtures);
  if (rows.length === 0) return '';
  const lines = rows.flatMap(([name, problem]) => wrap(`${name}: ${problem}`, WIDTH - 2).map((line) => `  ${line}`));
  return [paint('red', 'wrong fixtures (their cases are skipped)'), ...lines].join('\n');
}

function formatPorts(cases: readonly ReportedCase[], paint: Paint): string {
  const head = ['port', 'passed', 'failed', 'skipped'];
  const rows = [...groupByPort(cases)].map(([port, each]) => [port, each] as const);
  return [paint('dim', formatRow(head)), ...rows.map(([port, each]) => formatCounts(port, each, paint))].join('\n');
}

const formatRow = ([first = '', ...rest]: readonly string[]): string =>
  `  ${first.padEnd(36)}${rest.map((cell) => cell.padStart(9)).join('')}`;

function formatCounts(name: string, cases: readonly ReportedCase[], paint: Paint): string {
  const cells = (['pass', 'fail', 'skip'] as const).map((outcome) => {
    const number = count(cases, outcome);
    const cell = String(number || '-').padStart(9);
    return number === 0 ? paint('dim', cell) : paint(styles[outcome], cell);
  });
  return `  ${name.padEnd(36)}${cells.join('')}`;
}

function formatCase({ outcome, id, title, ms }: ReportedCase, paint: Paint): string {
  const [first = '', ...rest] = wrap(title, WIDTH - 4);
  return [
    `${paint(styles[outcome], marks[outcome])} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...wrap(`${id} (${ms} ms)`, WIDTH - 4).map((line) => `  ${paint('dim', line)}`),
  ].join('\n');
}

function formatFailures(cases: readonly ReportedCase[], paint: Paint): string {
  const failed = cases.filter(({ outcome }) => outcome === 'fail');
  return failed.map((each) => formatFailure(each, paint)).join('\n\n');
}

function formatFailure({ id, title, section, reason = '' }: ReportedCase, paint: Paint): string {
  const [first = '', ...rest] = wrap(title, WIDTH - 2);
  const lines = reason.split('\n').map(escapeControls);
  const shown = lines.slice(0, MAX_LINES).flatMap((line) => wrap(line, WIDTH - 4));
  return [
    paint('red', `✖ ${first}`),
    ...rest.map((line) => paint('red', `  ${line}`)),
    ...wrap(`${id} · section ${section}`, WIDTH - 2).map((line) => paint('dim', `  ${line}`)),
    ...shown.map((line) => `    ${paintDifference(line, paint)}`),
    ...(lines.length > MAX_LINES ? [`    … ${lines.length - MAX_LINES} more lines in the other reports`] : []),
  ].join('\n');
}

function paintDifference(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}

function formatSkips(cases: readonly ReportedCase[], paint: Paint): string {
  const skipped = Map.groupBy(
    cases.filter(({ outcome }) => outcome === 'skip'),
    ({ reason = '' }) => reason,
  );
  if (skipped.size === 0) return '';
  const rows = [...skipped].toSorted(([, first], [, second]) => second.length - first.length);
  const lines = rows.flatMap(([reason, each]) => {
    const [first = '', ...rest] = wrap(reason, WIDTH - 8);
    return [`  ${String(each.length).padStart(4)}  ${first}`, ...rest.map((line) => `        ${line}`)];
  });
  return [paint('yellow', 'skipped, because'), ...lines].join('\n');
}

function formatSections(cases: readonly ReportedCase[], paint: Paint): string {
  const head = ['section of the API document', 'proved', 'failed', 'skipped'];
  const rows = groupBySection(cases).map(([section, heading, each]) =>
    formatCounts(`${section.padEnd(4)} ${heading}`, each, paint),
  );
  return [paint('dim', formatRow(head)), ...rows].join('\n');
}

function formatCleanUp({ cleanUp }: ContractReport, paint: Paint): string {
  if (!cleanUp) return '';
  const { canceledAppointments, removedRelatives, lost, failures } = cleanUp;
  const undone = [
    canceledAppointments > 0 && `${canceledAppointments} appointments canceled`,
    removedRelatives > 0 && `${removedRelatives} relatives removed`,
  ].filter((part) => part !== false);
  const remaining = listRemaining(cleanUp);
  const lines = [
    undone.length > 0 && `cleaned up: ${undone.join(', ')}`,
    remaining.length > 0 && `left there, because the API cannot delete it: ${remaining.join(', ')}`,
    lost > 0 && `${lost} writes got no answer: check which records they left`,
  ].filter((part) => part !== false);
  return [
    ...lines.flatMap((line) => wrap(line, WIDTH)),
    ...failures.flatMap((line) => wrap(`not cleaned up: ${line}`, WIDTH)).map((line) => paint('yellow', line)),
  ].join('\n');
}

function formatTotals({ cases, ms, stopped }: ContractReport, paint: Paint): string {
  const failed = count(cases, 'fail');
  const numbers = `${count(cases, 'pass')} passed, ${failed} failed, ${count(cases, 'skip')} skipped`;
  const line = `${numbers} in ${(ms / 1000).toFixed(1)} s${stopped === undefined ? '' : ` (${stopped})`}`;
  return wrap(line, WIDTH)
    .map((each) => paint(failed === 0 ? 'green' : 'red', each))
    .join('\n');
}

/** Formats the report as JSON, with totals and the proof for each section of the API document. */
export function formatJson(report: ContractReport): string {
  const { cases } = report;
  const sections = groupBySection(cases).map(([section, heading, each]) => ({
    section,
    heading,
    proved: each.filter(({ outcome }) => outcome === 'pass').map(({ title }) => title),
    failed: each.filter(({ outcome }) => outcome === 'fail').map(({ title }) => title),
    skipped: each.filter(({ outcome }) => outcome === 'skip').map(({ title }) => title),
  }));
  const totals = { passed: count(cases, 'pass'), failed: count(cases, 'fail'), skipped: count(cases, 'skip') };
  return `${JSON.stringify({ tool: 'puente contract', ...report, totals, sections }, null, 2)}\n`;
}

/** Formats the report as JUnit XML by the schema of Jenkins' xUnit plugin (`junit-10.xsd`): a suite for each port, a test case for each case. */
export function formatJunit({ cases, startedAt, ms, target }: ContractReport): string {
  const suites = [...groupByPort(cases)].map(([port, each]) =>
    [
      `  <testsuite${attributes({ name: port, ...toTotals(each), skipped: count(each, 'skip'), time: toSeconds(sum(each)), timestamp: startedAt.slice(0, 19) })}>`,
      ...each.map(formatTestCase),
      '  </testsuite>',
    ].join('\n'),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: `puente contract ${target.name}`, ...toTotals(cases), time: toSeconds(ms) })}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function formatTestCase({ id, title, needs, outcome, reason = '', ms }: ReportedCase): string {
  const start = `    <testcase${attributes({ name: `${id}: ${title}`, classname: needs, time: toSeconds(ms) })}`;
  if (outcome === 'pass') return `${start}/>`;
  if (outcome === 'skip') return `${start}><skipped${attributes({ message: reason })}/></testcase>`;
  const [message = ''] = reason.split('\n');
  return `${start}><failure${attributes({ message, type: 'AssertionError' })}>${clean(reason)}</failure></testcase>`;
}

const toTotals = (cases: readonly ReportedCase[]) => ({
  tests: cases.length,
  failures: count(cases, 'fail'),
  errors: 0,
});

const sum = (cases: readonly ReportedCase[]): number => cases.reduce((total, { ms }) => total + ms, 0);
const toSeconds = (ms: number): string => (ms / 1000).toFixed(3);

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${clean(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('');

/** Escapes the text for XML 1.0, as content or attribute. */
const clean = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not have.
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
