import { styleText } from 'node:util';

/** Rows under a head, in columns. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)) + 2);
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!)))
      .join('')
      .trimEnd();
  return [styleText('dim', line(head)), ...rows.map(line), ''].join('\n');
}
