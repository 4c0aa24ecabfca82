import { existsSync } from 'node:fs';
import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { adapters } from '../../../adapters/index.ts';
import { findBundledWorld, parseWorld, readWorld, type WorldFile } from '../../../adapters/memory/world-file.ts';
import { loadConfig } from '../../config/read.ts';
import { compose } from '../../runtime/container.ts';
import { ConfigProblems, SettingsProblem } from '../../toolkit/problems.ts';
import { addDays, Zone } from '../../toolkit/zone.ts';
import { configOption, toPlainLines, writePrivately } from '../terminal.ts';
import { choices, type Reading, readCatalogue } from './catalogue.ts';
import { Inventor, settlePeople } from './people.ts';

interface Options {
  readonly config?: string;
  readonly out: string;
  readonly names: Reading['names'];
  readonly seed: string;
  readonly force?: true;
}

const make = new Command('make')
  .description('Make a hospital for the sandbox of an institution’s catalogue and agendas, with invented people.')
  .addOption(configOption())
  .option('--out <file>', 'file to write', 'hospital.json')
  .addOption(
    new Option('--names <which>', 'names and ids that stay: those of the catalogue, without its staff, or none')
      .choices(choices)
      .default('catalogue'),
  )
  .option('--seed <text>', 'the same one invents the same people', '1')
  .option('--force', 'overwrite the file')
  .addHelpText(
    'after',
    `
It calls no method for a patient. Read the names that it keeps before you pass the file on.
Exit codes: 0 written, 1 the system does not answer or the file is there, 78 only another configuration helps.`,
  )
  .action(run);

export const sandbox = new Command('sandbox').description('Make what the sandbox serves.').addCommand(make);

async function run(options: Options): Promise<void> {
  try {
    process.stdout.write(toPlainLines(await makeHospital(options)));
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    process.stderr.write(`${styleText('red', 'failed')}: ${error.message}. Nothing was written.\n`);
    process.exitCode = 1;
  }
}

/**
 * Writes the file.
 * @returns what to say of it.
 */
async function makeHospital({ config: file, out, names, seed, force }: Options): Promise<string> {
  if (!force && existsSync(out)) throw new SettingsProblem('out', [`${out} is there: give another --out, or --force`]);
  const loaded = await loadConfig({ file, environment: process.env, adapters });
  const { name = 'Sandbox', timeZone, locale, bookingHorizonDays } = loaded.config.institution;
  const cast = readWorld(findBundledWorld());
  const today = new Zone(timeZone).toLocalDay(new Date().toISOString());
  const lastDay = addDays(today, Math.min(28, bookingHorizonDays));
  const inventor = new Inventor(seed, cast.patients);
  const { ports, close } = await compose(loaded);
  const { parts, taken, notes } = await readCatalogue(ports, { names, inventor, today, lastDay }).finally(close);
  if (parts.services.length + parts.practitioners.length + parts.locations.length === 0)
    throw new ConfigProblems([`${loaded.file}: no service, practitioner or place is listed to make a hospital of`]);
  // What is not offered there can be tried all the same.
  const own = (['ticketTypes', 'changeReasons', 'directory'] as const).filter((part) => parts[part].length === 0);
  const borrowed = Object.fromEntries(own.map((part) => [part, cast[part]]));
  const read = { institution: { id: 'institution', name }, ...parts, ...borrowed };
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
    ...(names === 'none' ? [] : ['Read the names in it before you pass it on: no program knows whom a name means.']),
    '',
    '# Serve it with this configuration:',
    `institution: ${JSON.stringify({ timeZone, locale, bookingHorizonDays })}`,
    `adapter: ${JSON.stringify({ name: 'memory', settings: { world: out, sandbox: true } })}`,
    '',
  ].join('\n');
}
