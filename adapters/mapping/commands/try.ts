import { formatEntry } from '../examination/entries.ts';
import type { Located } from './open.ts';
import { type Asked, makeTrial, type TryOptions } from './trial.ts';

/**
 * Sends a question, and prints what was sent, the answer, and its result.
 * @returns true if the system answered with records that match.
 */
export async function tryEntry(
  located: Located,
  asked: Asked,
  options: TryOptions,
  print: (text: string) => void,
): Promise<boolean> {
  const { entry, isMade, milliseconds, exchanges, gives, fails, invalidValues, hint } = await makeTrial(
    located,
    asked,
    options,
  );
  if (!isMade) {
    print(`${formatEntry(entry)} would send (add --really to send it):\n`);
    for (const { sent } of exchanges) print(`  ${sent}\n`);
    return true;
  }
  print(`${formatEntry(entry)} took ${milliseconds} ms\n`);
  if (exchanges.length === 0 && fails === undefined)
    print('\nnothing was sent: a record with these values cannot exist there\n');
  for (const { sent, said, answer } of exchanges)
    print(`\nsent\n${indent(sent)}\nanswer${said && ` (${said})`}\n${indent(answer)}\n`);
  if (gives !== undefined) print(`\ngives\n${indent(gives)}\n`);
  if (fails !== undefined) print(`\nfails: ${fails}\n`);
  if (invalidValues.length > 0) print(`\n${invalidValues.map((each) => `does not fit: ${each}\n`).join('')}`);
  if (hint !== undefined) print(`\n${hint}\n`);
  if (!options.showValues) print('\nvalues are hidden; --show-values shows them\n');
  return fails === undefined && invalidValues.length === 0;
}

const indent = (text: string): string => text.trimEnd().replaceAll(/^/gm, '  ');
