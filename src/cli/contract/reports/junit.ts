import { count, groupByPort, type Report, type ReportedCase } from '../result.ts';

/** The report as JUnit XML: a suite for each port, a test case for each case. */
export function formatJunit({ cases, startedAt, ms, target }: Report): string {
  const suites = [...groupByPort(cases)].map(([port, each]) =>
    [
      `  <testsuite${attributes({ name: port, ...toTotals(each), time: toSeconds(sum(each)), timestamp: startedAt.slice(0, 19) })}>`,
      ...each.map(formatCase),
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

function formatCase({ id, title, needs, outcome, reason = '', ms }: ReportedCase): string {
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
