import { writeFileSync } from 'node:fs';
import { defaultTimeZone, timeZone as timeZoneSchema } from '../../config/schema.ts';
import { cases, portCases } from '../../contract/index.ts';
import type { Capability } from '../../ports/index.ts';
import { commandLine } from '../../runtime/package.ts';
import { CannotRun } from './cannot-run.ts';
import { look } from './look/index.ts';
import { formatMap, listUsed } from './map/write.ts';
import { findTarget, type InstitutionOptions, toFixtures } from './open-target.ts';
import type { Surroundings } from './surroundings.ts';

export interface InitOptions extends InstitutionOptions {
  readonly patient?: readonly string[];
  readonly out: string;
  readonly force?: true;
  readonly timeZone?: string;
}

/**
 * Writes a fixture map of an institution, filled in by reading.
 * @returns what to exit with.
 * @throws CannotRun or ConfigProblems when the institution cannot be read, or the file not be written.
 */
export async function initMap(options: InitOptions, surroundings: Surroundings): Promise<number> {
  const { patient = [], out, force = false } = options;
  if (options.timeZone !== undefined && !timeZoneSchema.safeParse(options.timeZone).success) {
    throw new CannotRun(`--time-zone must be an IANA time zone, e.g. ${defaultTimeZone}`);
  }
  const found = await findTarget(options, surroundings);
  try {
    const { institution, supports } = found;
    const offered: ReadonlySet<Capability> = supports ?? new Set();
    const opened = found.open(toFixtures({}, found), offered);
    const { findings, offers, failed } = await look(await opened.start(), patient, supports);
    const { timeZone = options.timeZone, locale, bookingHorizonDays } = institution;
    const used = listUsed(offers ? new Set([...offers.found, ...offers.unsure]) : offered, [...cases, ...portCases]);
    const check = 'is it this one?';
    findings.add('bookingHorizonDays', bookingHorizonDays ?? 60, bookingHorizonDays === undefined ? check : undefined);
    const text = formatMap(
      {
        timeZone: timeZone === undefined ? { value: defaultTimeZone, note: check } : { value: timeZone },
        locale: locale === undefined ? { value: 'es-AR', note: check } : { value: locale },
        offers,
        findings: findings.all,
      },
      used,
    );
    write(out, text, force);
    surroundings.print(describe(options, text, used.filter((name) => findings.all.has(name)).length, failed));
    return 0;
  } finally {
    await found.close();
  }
}

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

function describe(
  { patient = [], out, url, config, adapter }: InitOptions,
  text: string,
  filled: number,
  failed: ReadonlySet<string>,
): string {
  const marks = text.split('\n').filter((line) => line.includes('# TODO')).length;
  const [option, value] = Object.entries({ url, config, adapter }).find(([, given]) => given !== undefined) ?? [];
  const institution = option === undefined ? '' : ` --${option} ${value}`;
  return [
    `wrote ${out}: ${filled} fixtures found, ${marks} lines marked TODO`,
    ...(patient.length === 0 ? ['The API lists no patients: with --patient ID, several times, more is found.'] : []),
    ...[...failed].map((route) => `${route} failed twice: what it shows is missing, so try again.`),
    'It tells who patients are: keep it like them.',
    `Next: ${commandLine} contract${institution} --map ${out}`,
    '',
  ].join('\n');
}
