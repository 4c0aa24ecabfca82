import type { Case } from './case.ts';

/**
 * What each case stands on, as a table in Markdown: what it proves, what it requires, and
 * the fixtures that it needs besides those of its capabilities.
 */
export function formatCaseTable(cases: readonly Case[]): string {
  const head = ['case', 'proves', 'requires', 'fixtures'];
  const rows = cases.map(({ id, needs, requires, fixtures }) => [
    id,
    needs,
    ...[requires, fixtures].map((each) => each.join(', ')),
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
