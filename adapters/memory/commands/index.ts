import { existsSync, readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { toPlainJson, toPlainLines } from '../../../src/toolkit/plain-text.ts';
import { writePrivately } from '../../../src/toolkit/private-file.ts';
import { ConfigProblems, SettingsProblem } from '../../../src/toolkit/problems.ts';
import { addDays, Zone } from '../../../src/toolkit/zone.ts';
import type { Program } from '../../command.ts';
import { findBundledWorld, parseWorld, readWorld, type WorldFile } from '../world-file.ts';
import { readCatalogue } from './catalogue.ts';
import { Inventor, settlePeople } from './people.ts';

interface Options {
  readonly config?: string;
  readonly out: string;
  readonly review?: string;
  readonly keep?: string;
  readonly seed: string;
  readonly force?: true;
}

const createMake = (program: Program): Command =>
  new Command('make')
    .description('Make a hospital for the sandbox of an institution’s catalogue and agendas, with invented people.')
    .addOption(program.configOption())
    .option('--out <file>', 'file to write', 'hospital.json')
    .addOption(
      new Option(
        '--review <file>',
        'write every name that --keep could keep into this file, and no hospital',
      ).conflicts('keep'),
    )
    .option('--keep <file>', 'keep the names that this reviewed file lists; without it all are numbered or invented')
    .option('--seed <text>', 'the same one invents the same people', '1')
    .option('--force', 'overwrite the file')
    .addHelpText(
      'after',
      `
It calls no method for a patient.
Exit codes: 0 written, 1 the system does not answer or the file is there, 78 only another configuration helps.`,
    )
    .action((options: Options) => run(options, program));

export const createSandboxCommand = (program: Program): Command =>
  new Command('sandbox').description('Make what the sandbox serves.').addCommand(createMake(program));

async function run(options: Options, program: Program): Promise<void> {
  try {
    process.stdout.write(toPlainLines(await makeHospital(options, program)));
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    process.stderr.write(`${styleText('red', 'failed')}: ${error.message}. Nothing was written.\n`);
    process.exitCode = 1;
  }
}

/** Rejects an existing file unless `--force` is set. */
function requireAbsent(option: string, file: string, { force }: Options): void {
  if (!force && existsSync(file))
    throw new SettingsProblem(option, [`${file} is there: give another --${option}, or --force`]);
}

/** The texts of a `--review` file after the operator's edits. */
function readReviewed(file: string): ReadonlySet<string> {
  let lines: readonly string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    throw new SettingsProblem('keep', [`${file} cannot be read: run this command with --review first`]);
  }
  return new Set(
    lines.flatMap((line, index) => {
      if (line.trim() === '') return [];
      try {
        return [String(JSON.parse(line))];
      } catch {
        throw new SettingsProblem('keep', [`${file}: line ${index + 1} is not a text in quotation marks: delete it`]);
      }
    }),
  );
}

/**
 * Writes the file, or the list of names for a review.
 * @returns the message for the operator.
 */
async function makeHospital(options: Options, program: Program): Promise<string> {
  const { config: file, out, review, keep, seed } = options;
  if (review === undefined) requireAbsent('out', out, options);
  else requireAbsent('review', review, options);
  const kept = keep === undefined ? new Set<string>() : readReviewed(keep);
  const loaded = await program.readConfig(file);
  const { timeZone, locale, bookingHorizonDays } = loaded.institution;
  const cast = readWorld(findBundledWorld());
  const today = new Zone(timeZone).toLocalDay(new Date().toISOString());
  const lastDay = addDays(today, Math.min(28, bookingHorizonDays));
  const inventor = new Inventor(seed, cast.patients);
  const { parts, taken, texts, notes } = await loaded.withPorts((ports) =>
    readCatalogue(ports, { kept, inventor, today, lastDay }),
  );
  if (parts.services.length + parts.practitioners.length + parts.locations.length === 0)
    throw new ConfigProblems([`${loaded.file}: no service, practitioner or place is listed to make a hospital of`]);
  if (review !== undefined) {
    writePrivately(review, texts.map((text) => `${toPlainJson(text)}\n`).join(''));
    return [
      `${styleText('green', 'ok')}  ${review}: ${texts.length} names`,
      'Delete each line that must not leave the institution, such as the name of a patient.',
      `Then run this command with --keep ${review} instead of --review.`,
      '',
    ].join('\n');
  }
  // Parts that the institution does not offer come from the sandbox.
  const own = (['ticketTypes', 'changeReasons', 'directory'] as const).filter((part) => parts[part].length === 0);
  const borrowed = Object.fromEntries(own.map((part) => [part, cast[part]]));
  const read = { institution: { id: 'institution', name: 'Sandbox' }, ...parts, ...borrowed };
  const whole = parseWorld(settlePeople(cast, parseWorld(read), { taken, today, inventor }));
  writePrivately(out, `${JSON.stringify(whole)}\n`);
  const count = (...parts: readonly Exclude<keyof WorldFile, 'institution'>[]) =>
    parts.map((part) => `${whole[part].length} ${part}`).join(', ');
  return [
    `${styleText('green', 'ok')}  ${out}`,
    `read:     ${count('services', 'practitioners', 'locations', 'carriers', 'schedules', 'ticketTypes', 'directory')}`,
    `invented: ${count('patients', 'coverages', 'appointments')}, and the names of practitioners`,
    ...notes.map((note) => `note: ${note}`),
    ...own.map((part) => `note: ${part} are those of the sandbox: there are none`),
    'note: which plan pays for which service is known for a patient alone: every plan pays for all here',
    `names:    ${texts.filter((text) => kept.has(text)).length} of ${texts.length} are the institution’s own`,
    '',
    '# Serve it with this configuration:',
    `institution: ${JSON.stringify({ timeZone, locale, bookingHorizonDays })}`,
    `adapter: ${JSON.stringify({ name: 'memory', settings: { world: out, sandbox: true } })}`,
    '',
  ].join('\n');
}
