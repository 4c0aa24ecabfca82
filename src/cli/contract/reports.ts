import type { styleText } from 'node:util';
import { capabilities } from '../../ports/index.ts';
import { escapeControls, wrap } from '../terminal.ts';
import { count, groupByPort, groupBySection, listRemaining, type Report, type ReportedCase } from './result.ts';

type Style = Parameters<typeof styleText>[0];
/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

const WIDTH = 80;
const marks = { pass: '✔', fail: '✖', skip: '-' } as const;
const styles = { pass: 'green', fail: 'red', skip: 'yellow' } as const;
/** A difference of a whole list is cut there; the other reports have all of it. */
const MAX_LINES = 30;

/** The report for a terminal of 80 columns; `verbose` also lists every case. */
export function formatTerminal(report: Report, paint: Paint, verbose = false): string {
  const { cases } = report;
  const parts = [
    formatHead(report, paint),
    verbose ? cases.map((each) => formatCase(each, paint)).join('\n') : formatPorts(cases, paint),
    formatFailures(cases, paint),
    formatSkips(cases, paint),
    formatSections(cases, paint),
    formatCleanUp(report, paint),
    formatTotals(report, paint),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function formatHead({ target, level, offered, seed }: Report, paint: Paint): string {
  return [
    ...wrap(target.name, WIDTH).map((line) => paint('bold', line)),
    ...wrap(`${target.how} · level ${level} · ${offered.length} of ${capabilities.length} capabilities offered`, WIDTH),
    ...wrap(`fixtures: ${target.fixtures} · seed ${seed}`, WIDTH),
  ].join('\n');
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
    ...(lines.length > MAX_LINES ? [`    … ${lines.length - MAX_LINES} lines more in the other reports`] : []),
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

function formatCleanUp({ cleanUp }: Report, paint: Paint): string {
  if (!cleanUp) return '';
  const { canceledAppointments, removedRelatives, lost, failures } = cleanUp;
  const undone = [
    canceledAppointments > 0 && `${canceledAppointments} appointments canceled`,
    removedRelatives > 0 && `${removedRelatives} relatives removed`,
  ].filter((part) => part !== false);
  const remaining = listRemaining(cleanUp);
  const lines = [
    undone.length > 0 && `cleaned up: ${undone.join(', ')}`,
    remaining.length > 0 && `left there, because the API cannot take it back: ${remaining.join(', ')}`,
    lost > 0 && `${lost} writes got no answer: nobody knows what they left there`,
  ].filter((part) => part !== false);
  return [
    ...lines.flatMap((line) => wrap(line, WIDTH)),
    ...failures.flatMap((line) => wrap(`not cleaned up: ${line}`, WIDTH)).map((line) => paint('yellow', line)),
  ].join('\n');
}

function formatTotals({ cases, ms, stopped }: Report, paint: Paint): string {
  const failed = count(cases, 'fail');
  const numbers = `${count(cases, 'pass')} passed, ${failed} failed, ${count(cases, 'skip')} skipped`;
  const line = `${numbers} in ${(ms / 1000).toFixed(1)} s${stopped === undefined ? '' : ` (${stopped})`}`;
  return wrap(line, WIDTH)
    .map((each) => paint(failed === 0 ? 'green' : 'red', each))
    .join('\n');
}

/** The report as JSON, with the totals and what is proved of each section of the API document. */
export function formatJson(report: Report): string {
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

/** The report as JUnit XML: a suite for each port, a test case for each case. */
export function formatJunit({ cases, startedAt, ms, target }: Report): string {
  const suites = [...groupByPort(cases)].map(([port, each]) =>
    [
      `  <testsuite${attributes({ name: port, ...toTotals(each), time: toSeconds(sum(each)), timestamp: startedAt.slice(0, 19) })}>`,
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
  skipped: count(cases, 'skip'),
});

const sum = (cases: readonly ReportedCase[]): number => cases.reduce((total, { ms }) => total + ms, 0);
const toSeconds = (ms: number): string => (ms / 1000).toFixed(3);

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${clean(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('');

/** The text as it stands in XML 1.0, between tags or in an attribute. */
const clean = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not have.
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
