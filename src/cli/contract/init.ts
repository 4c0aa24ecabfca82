import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cases, portCases } from '../../contract/index.ts';
import { capabilities } from '../../ports/index.ts';
import { commandLine } from '../../toolkit/package.ts';
import { CannotRun } from './cannot-run.ts';
import type { CommandContext } from './command-context.ts';
import { draftRecords } from './map/draft-records.ts';
import { readKeys, readMap } from './map/read.ts';
import { addFixtures, formatMap, listUsed } from './map/write.ts';
import { findTarget, type InstitutionOptions, toFixtures } from './open-target.ts';

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
  const target = await findTarget(options, context);
  const { supports, institution } = target;
  const offered = supports ?? new Set(capabilities);
  const known = new Map<string, unknown>(Object.entries(institution));
  try {
    // Who is there, the map says first.
    const fixtures = present && toFixtures(readMap(out), target);
    const subject = fixtures && (await target.start({ level: 'safe' }, fixtures, offered));
    for (const [name, records] of subject ? await draftRecords(subject, fixtures) : []) known.set(name, records);
  } finally {
    await target.close();
  }
  const used = listUsed(offered, [...cases, ...portCases]).filter(
    (name) => !name.startsWith('records.') || known.has(name),
  );
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
    'Filled in, it tells who patients are: keep it like them. Run this again then, for a draft of what some records say.',
    `Next: ${commandLine} contract${institution} --map ${out}`,
    '',
  ].join('\n');
}
