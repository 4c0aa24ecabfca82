import { version } from '../../toolkit/package.ts';
import { exitCodes } from '../exit-codes.ts';
import { type DoctorOptions, examineAll } from './examine.ts';
import { formatLine, formatSummary, type Paint } from './format.ts';
import type { Line } from './line.ts';

export interface RunOptions extends DoctorOptions {
  readonly json?: true | undefined;
}

/** Where the lines go. */
export interface Output {
  readonly paint: Paint;
  readonly print: (text: string) => void;
}

/**
 * Prints each line when it is found, or all of them as JSON at the end.
 * @returns what to exit with.
 */
export async function run({ json, ...options }: RunOptions, output: Output): Promise<number> {
  const { print, paint } = output;
  const lines: Line[] = [];
  for await (const line of examineAll(options)) {
    if (!json) {
      const before = lines.at(-1)?.section;
      if (line.section !== before) print(`${before === undefined ? '' : '\n'}${paint('bold', line.section)}\n`);
      print(formatLine(line, paint));
    }
    lines.push(line);
  }
  print(json ? formatJson(lines) : `\n${formatSummary(lines, paint)}`);
  if (lines.some(({ section, stops }) => section === 'gateway' && stops)) return exitCodes.cannotRun;
  return lines.some(({ ok }) => ok === false) ? exitCodes.wrong : exitCodes.right;
}

function formatJson(lines: readonly Line[]): string {
  const healthy = lines.every(({ ok }) => ok !== false);
  const checks = lines.map(({ section, check, ok, detail, fix }) => ({ section, check, ok, detail, fix }));
  return `${JSON.stringify({ version, healthy, checks }, undefined, 2)}\n`;
}
