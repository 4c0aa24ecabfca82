import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cases, portCases } from '../../contract/index.ts';
import { capabilities } from '../../ports/index.ts';
import { commandLine } from '../../toolkit/package.ts';
import { CannotRun } from './cannot-run.ts';
import type { CommandContext } from './command-context.ts';
import { readKeys } from './map/read.ts';
import { addFixtures, formatMap, listUsed } from './map/write.ts';
import { findTarget, type InstitutionOptions } from './open-target.ts';

export interface InitOptions extends InstitutionOptions {
  readonly out: string;
  readonly force?: true;
}

/**
 * Writes a fixture map of an institution, to be filled in; to one that is there it adds what it lacks.
 * @returns what to exit with.
 * @throws CannotRun or ConfigProblems when the institution cannot be asked, or the file not be read or written.
 */
export async function initMap(options: InitOptions, context: CommandContext): Promise<number> {
  const { out, force = false } = options;
  const present = !force && existsSync(out) ? readKeys(out) : undefined;
  const { supports, institution, close } = await findTarget(options, context);
  await close();
  const used = listUsed(supports ?? new Set(capabilities), [...cases, ...portCases]);
  const known = new Map(Object.entries(institution));
  if (present) {
    const { text, added, left } = addFixtures(readFileSync(out, 'utf8'), present, used, known);
    write(out, text);
    context.print(
      [
        added.length > 0
          ? `added to ${out}, marked TODO where they are to be filled in: ${added.join(', ')}`
          : `${out} has all that can be added already`,
        ...(left.length > 0 ? [`Add yourself, as their sections stand in braces: ${left.join(', ')}`] : []),
      ].join('\n'),
    );
  } else {
    write(out, formatMap({ known, offered: supports }, used));
    context.print(`wrote ${out}, with ${used.length} fixtures to fill in where they are marked TODO`);
  }
  context.print(describeNext(options));
  return 0;
}

/** It will hold ids of patients and who one of them is, so that only its owner may read it. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new CannotRun(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

function describeNext({ out, url, config, adapter }: InitOptions): string {
  const [option, value] = Object.entries({ url, config, adapter }).find(([, given]) => given !== undefined) ?? [];
  const institution = option === undefined ? '' : ` --${option} ${value}`;
  return [
    '',
    'Filled in, it tells who patients are: keep it like them.',
    `Next: ${commandLine} contract${institution} --map ${out}`,
    '',
  ].join('\n');
}
