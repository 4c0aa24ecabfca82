import { writeFileSync } from 'node:fs';
import { cases, portCases } from '../../contract/index.ts';
import { capabilities } from '../../ports/index.ts';
import { commandLine } from '../../toolkit/package.ts';
import { CannotRun } from './cannot-run.ts';
import type { CommandContext } from './command-context.ts';
import { formatMap, listUsed } from './map/write.ts';
import { findTarget, type InstitutionOptions } from './open-target.ts';

export interface InitOptions extends InstitutionOptions {
  readonly out: string;
  readonly force?: true;
}

/**
 * Writes a fixture map of an institution, to be filled in.
 * @returns what to exit with.
 * @throws CannotRun or ConfigProblems when the institution cannot be asked, or the file not be written.
 */
export async function initMap(options: InitOptions, context: CommandContext): Promise<number> {
  const { out, force = false } = options;
  const { supports, institution, close } = await findTarget(options, context);
  await close();
  const used = listUsed(supports ?? new Set(capabilities), [...cases, ...portCases]);
  write(out, formatMap({ known: new Map(Object.entries(institution)), offered: supports }, used), force);
  context.print(describe(options, used.length));
  return 0;
}

/** It will hold ids of patients and who one of them is, so that only its owner may read it. */
function write(file: string, text: string, force: boolean): void {
  try {
    writeFileSync(file, text, { flag: force ? 'w' : 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotRun(
      code === 'EEXIST' ? `${file} is there already; --force overwrites it` : `${file} cannot be written (${code})`,
    );
  }
}

function describe({ out, url, config, adapter }: InitOptions, fixtures: number): string {
  const [option, value] = Object.entries({ url, config, adapter }).find(([, given]) => given !== undefined) ?? [];
  const institution = option === undefined ? '' : ` --${option} ${value}`;
  return [
    `wrote ${out}, with ${fixtures} fixtures to fill in where they are marked TODO`,
    'Filled in, it tells who patients are: keep it like them.',
    `Next: ${commandLine} contract${institution} --map ${out}`,
    '',
  ].join('\n');
}
