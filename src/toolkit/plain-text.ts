import { styleText } from 'node:util';

const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Replaces characters that could control a terminal: patients and other systems may have written anything. */
export const toPlainText = (text: string): string => text.replaceAll(controls, ' ');

/** Does the same for a text of several lines. */
export const toPlainLines = (text: string): string => text.split('\n').map(toPlainText).join('\n');

/** Replaces characters that could control a terminal by JSON escapes. A blank would hide a difference. */
export const escapeControls = (text: string): string => text.replaceAll(controls, escapeUnits);

const escapeUnits = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Formats the value as JSON without control characters. It parses to the same value. */
export const toPlainJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).split('\n').map(escapeControls).join('\n');

/**
 * Wraps the text into lines of at most `width` characters, without characters that could control a terminal. Lines
 * break between words, and within words that are longer.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = toPlainText(text);
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const at = space > width / 3 ? space : width;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

/** Formats rows in columns under a head. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)) + 2);
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
      .join('')
      .trimEnd();
  return [styleText('dim', line(head)), ...rows.map(line), ''].join('\n');
}
