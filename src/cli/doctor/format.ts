import { wrap } from '../wrap.ts';
import type { Line } from './line.ts';

export type Style = 'green' | 'red' | 'dim' | 'bold';
export type Paint = (style: Style, text: string) => string;

const WIDTH = 80;

/** ✔ and ✖; a dot for what could not be looked at, or is for the operator to judge. */
const marks = { true: ['✔', 'green'], false: ['✖', 'red'], null: ['·', 'dim'] } as const;

/** One line, broken at 80 columns, with what to do about it below it. */
export function formatLine({ check, ok, detail, fix }: Line, paint: Paint): string {
  const [mark, style] = marks[`${ok}`];
  const [first = '', ...rest] = wrap(`${check}: ${detail}`, WIDTH - 4);
  const remedy = fix === undefined || ok === true ? [] : wrap(`→ ${fix}`, WIDTH - 6).map(indent(6));
  return [
    `  ${paint(style, mark)} ${first}`,
    ...rest.map(indent(4)),
    ...remedy.map((line) => paint('dim', line)),
    '',
  ].join('\n');
}

/** How many lines there were of each kind. */
export function formatSummary(lines: readonly Line[], paint: Paint): string {
  const count = (ok: boolean | null) => lines.filter((line) => line.ok === ok).length;
  const [right, wrong, open] = [count(true), count(false), count(null)];
  const [style, mark, word] =
    wrong === 0 ? (['green', '✔', 'healthy'] as const) : (['red', '✖', 'not healthy'] as const);
  return `${paint(style, `${mark} ${word}`)}: ${right} right, ${wrong} wrong, ${open} to judge for yourself\n`;
}

const indent = (columns: number) => (text: string) => ' '.repeat(columns) + text;
