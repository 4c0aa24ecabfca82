import { writeFileSync } from 'node:fs';
import { defaultTimeZone, timeZone as timeZoneSchema } from '../../config/schema.ts';
import { cases, portCases } from '../../contract/index.ts';
import { capabilities } from '../../ports/index.ts';
import { commandLine } from '../../toolkit/package.ts';
import { CannotRun } from './cannot-run.ts';
import { findFixtures, type ListAnswers } from './map/find.ts';
import { type Finding, formatMap, listUsed } from './map/write.ts';
import { findTarget, type InstitutionOptions, toFixtures } from './open-target.ts';
import type { Surroundings } from './surroundings.ts';

export interface InitOptions extends InstitutionOptions {
  readonly out: string;
  readonly force?: true;
  readonly timeZone?: string;
}

/**
 * Writes a fixture map of an institution, with what its lists say filled in.
 * @returns what to exit with.
 * @throws CannotRun or ConfigProblems when the institution cannot be read, or the file not be written.
 */
export async function initMap(options: InitOptions, surroundings: Surroundings): Promise<number> {
  const { out, force = false } = options;
  if (options.timeZone !== undefined && !timeZoneSchema.safeParse(options.timeZone).success) {
    throw new CannotRun(`--time-zone must be an IANA time zone, e.g. ${defaultTimeZone}`);
  }
  const target = await findTarget(options, surroundings);
  try {
    const { institution, supports } = target;
    const offered = supports ?? new Set(capabilities);
    const found = await findFixtures(await target.open(toFixtures({}, target), offered).start(), supports);
    const { timeZone = options.timeZone, locale, bookingHorizonDays } = institution;
    const findings = new Map(found.findings).set('bookingHorizonDays', assume(bookingHorizonDays, 60));
    const used = listUsed(offered, [...cases, ...portCases]);
    const text = formatMap(
      {
        timeZone: assume(timeZone, defaultTimeZone),
        locale: assume(locale, 'es-AR'),
        answered: supports ? undefined : found.answered,
        findings,
      },
      used,
    );
    write(out, text, force);
    surroundings.print(describe(options, text, found));
    return 0;
  } finally {
    await target.close();
  }
}

/** What the configuration says, or what is usual, for a person to look at. */
const assume = (known: unknown, usual: unknown): Finding =>
  known === undefined ? { value: usual, note: 'is it this one?' } : { value: known };

/** It holds ids of patients and who one of them is, so that only its owner may read it. */
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

function describe({ out, url, config, adapter }: InitOptions, text: string, { findings, silent }: ListAnswers): string {
  const marks = text.split('\n').filter((line) => line.includes('# TODO')).length;
  const [option, value] = Object.entries({ url, config, adapter }).find(([, given]) => given !== undefined) ?? [];
  const institution = option === undefined ? '' : ` --${option} ${value}`;
  return [
    `wrote ${out}: ${findings.size} fixtures found in lists, ${marks} lines marked TODO`,
    ...silent.map((route) => `${route} did not answer 200, and filled in nothing.`),
    'Filled in, it tells who patients are: keep it like them.',
    `Next: ${commandLine} contract${institution} --map ${out}`,
    '',
  ].join('\n');
}
