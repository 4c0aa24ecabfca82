import type { Case } from './case.ts';
import type { CaseResult } from './run.ts';

const marks = { pass: '✓', fail: '✗', skip: '-' } as const;

/** The results as a tree in plain text: a branch for each first word of the ids, then the totals. */
export function formatReport(results: readonly CaseResult[]): string {
  const branches = Map.groupBy(results, ({ id }) => id.split('.')[0] ?? '');
  const lines = [...branches].flatMap(([name, leaves]) => [name, ...leaves.flatMap(formatResult)]);
  return [...lines, '', formatSummary(results)].join('\n');
}

function formatResult({ outcome, title, id, reason }: CaseResult): string[] {
  const line = `  ${marks[outcome]} ${title}`;
  if (outcome === 'pass') return [line];
  if (outcome === 'skip') return [`${line} (skipped: ${reason})`];
  return [`${line} [${id}]`, ...(reason ?? '').split('\n').map((text) => `      ${text}`)];
}

function formatSummary(results: readonly CaseResult[]): string {
  const count = (outcome: CaseResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
  return `${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`;
}

/**
 * What each case stands on, as a table in Markdown: what it proves, what it requires, what it uses where it is offered, and
 * the fixtures that it needs besides those of its capabilities.
 */
export function formatCaseTable(cases: readonly Case[]): string {
  const head = ['case', 'proves', 'requires', 'prefers', 'fixtures'];
  const rows = cases.map(({ id, needs, requires, prefers, fixtures }) => [
    id,
    needs,
    ...[requires, prefers, fixtures].map((each) => each.join(', ')),
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
