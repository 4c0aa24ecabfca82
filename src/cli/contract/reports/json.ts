import { count, groupBySection, type Report } from '../result.ts';

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
